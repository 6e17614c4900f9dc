import PawlCLI

PawlProgram.run(DaemonProgram.self, PawlProgram.arguments())
