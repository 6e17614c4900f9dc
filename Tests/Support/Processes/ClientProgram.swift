/// The programs in `Tests/Clients`.
package enum ClientProgram {
    package static func path(_ name: String) throws -> String {
        let path = "\(#filePath)"
        // A folder above the project may have the same name.
        guard let tests = path.ranges(of: "/Tests/").last else {
            throw ServerFailure(description: "the tests are in another folder")
        }
        return "\(path[..<tests.upperBound])Clients/\(name)"
    }
}
