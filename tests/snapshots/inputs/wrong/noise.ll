this is no LLVM IR
