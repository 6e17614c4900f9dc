/// The programs in `Tests/Clients`.
package enum ClientProgram {
    package static func path(_ name: String) throws -> String {
        let path = "\(#filePath)"
        guard let tests = path.firstRange(of: "/Tests/") else {
            throw ServerFailure(description: "the tests are in another folder")
        }
        return "\(path[..<tests.upperBound])Clients/\(name)"
    }
}
