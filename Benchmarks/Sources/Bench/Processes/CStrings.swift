internal import Glibc

/// Swift strings in the form that C needs: an array that ends with a null pointer.
enum CStrings {
    static func with<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
