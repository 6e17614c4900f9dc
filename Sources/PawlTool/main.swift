import PawlCLI

PawlProgram.main()
