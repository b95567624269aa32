"""Many more ways to write what stands in a text, for the later stages of training alone.

They were written without a look at what is held out; those that can say it all the same are left out, see
`Wordings.widened`.
"""
