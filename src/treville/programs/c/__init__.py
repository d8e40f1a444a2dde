"""C programs -> program IR, through LLVM IR: compile, read LLVM's text form, translate."""
