internal import CBench

/// Searches bytes.
enum ByteSearch {
    /// Returns the position after the first occurrence; `nil` if there is none.
    static func end(of sought: [UInt8], in bytes: [UInt8]) -> Int? {
        let found = bytes.withUnsafeBytes {
            bench_find($0.baseAddress, Int64($0.count), sought, Int64(sought.count))
        }
        return found < 0 ? nil : Int(found) + sought.count
    }
}
