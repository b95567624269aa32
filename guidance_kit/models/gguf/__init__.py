"""Models in GGUF files, run by llama.cpp: quantised weights that are mapped into memory, on a CPU or a GPU."""
