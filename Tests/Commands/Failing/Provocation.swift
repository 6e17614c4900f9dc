import PawlCore
import PawlTesting
import Testing

/// How an error is provoked from outside.
struct Provocation: Sendable, CustomTestStringConvertible {
    var code: ErrorCode
    var provoke: @Sendable (Workshop) async throws -> FinishedProcess

    var testDescription: String { code.rawValue }

    init(
        _ code: ErrorCode,
        _ provoke: @escaping @Sendable (Workshop) async throws -> FinishedProcess
    ) {
        self.code = code
        self.provoke = provoke
    }

    /// Serves that reply and fetches it.
    init(_ code: ErrorCode, _ reply: Reply, _ options: String...) {
        self.init(code) { workshop in
            workshop.serve(reply)
            return try await workshop.run([workshop.url] + options)
        }
    }

    /// Fetches a good file over a disk that fails in that way.
    init(_ code: ErrorCode, _ plan: FaultPlan) {
        self.init(code) { workshop in
            workshop.serve(.resource(Self.resource))
            let library = try await FaultShim.library()
            var plan = plan
            // The shim knows a file by its whole path.
            plan.path = workshop.folder.path
            let environment = plan.environment(library: library)
            return try await workshop.run(
                [workshop.url, "-d", workshop.folder.path],
                ProcessSettings(environment: environment)
            )
        }
    }

    static let resource = Resource(size: 300_000)
}
