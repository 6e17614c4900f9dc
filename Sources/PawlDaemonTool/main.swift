import PawlCLI

PawlProgram.run(DaemonProgram.self, Array(CommandLine.arguments.dropFirst()))
