/// All cases, in the order of the report.
enum Catalogue {
    static let all: [BenchmarkCase] = [
        .http1G, .https1G, .smallHTTP, .smallHTTPS,
    ]
}
