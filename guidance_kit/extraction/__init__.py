"""Documents in, records out: the batch job behind `guidance-kit extract`.

`documents` reads the inputs, `output` keeps the file of records so that nothing is lost or repeated, `job` runs a
model over the documents.
"""
