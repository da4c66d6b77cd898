"""From kernel functions to LLVM IR."""
