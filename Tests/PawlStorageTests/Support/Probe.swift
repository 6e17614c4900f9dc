import PawlTesting

/// The program `StorageProbe`: another process that performs one operation on files.
enum Probe {
    static let program = BuiltProduct.path("StorageProbe")

    static func start(_ arguments: String...) throws -> ProcessRunner {
        try ProcessRunner(program, arguments)
    }

    static func run(
        _ arguments: [String],
        _ environment: [String: String?] = [:]
    ) async throws -> FinishedProcess {
        try await ProcessRunner.run(program, arguments, ProcessSettings(environment: environment))
    }
}
