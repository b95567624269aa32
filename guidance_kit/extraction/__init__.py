"""Documents in, records or labels out: the batch jobs behind `guidance-kit extract` and `guidance-kit classify`.

`documents` reads the inputs, `output` keeps the file of records so that nothing is lost or repeated, `job` runs a
model over the documents, `classification` does so for labels.
"""
