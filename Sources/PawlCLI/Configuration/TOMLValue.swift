internal import CTOML
package import PawlCore

/// A value of a TOML document (1.0.0).
package struct TOMLValue: Sendable {
    /// The keys of the tables around the value, and its own.
    package var keys: [String]
    /// A text, number or boolean as text; `nil` for a date, or a list or table within a list.
    package var text: String?
    /// Whether it is a list or a table without values.
    package var isEmpty: Bool
    /// The number of the line, from 1.
    package var line: Int
    private var column: Int

    /// Returns the values of a document in its order; a list is several values with equal keys.
    ///
    /// Throws `.usage` if the text is not TOML.
    ///
    /// - Parameters:
    ///   - name: The name of the document, for errors.
    package static func all(
        in text: String,
        name: String
    ) throws(DownloadError) -> [TOMLValue] {
        // A key with very many parts would exhaust the stack of the parser.
        let longest = text.utf8.split(separator: UInt8(ascii: "\n")).map(\.count).max() ?? 0
        guard text.utf8.count <= mostBytes, longest <= mostLineBytes else {
            throw .usage(
                "\(name) is too long for such a file",
                advice: "use at most \(mostBytes) bytes, and at most \(mostLineBytes) in each line"
            )
        }
        var reading = Reading()
        var text = text
        withUnsafeMutablePointer(to: &reading) { reading in
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    let document = pawl_toml_text(bytes: bytes.baseAddress, length: bytes.count)
                    pawl_toml_read(document, reading) { context, value in
                        guard let context, let value else { return }
                        context.assumingMemoryBound(to: Reading.self).pointee.add(value.pointee)
                    }
                }
            }
        }
        if let failure = reading.failure {
            let reason = (failure.text ?? "").sanitized(atMost: 200)
            throw .usage(
                "\(name), line \(failure.line): \(reason)",
                advice: "correct the line; see https://toml.io"
            )
        }
        return reading.values.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    private static let mostBytes = 1 << 20
    private static let mostLineBytes = 8 << 10

    private struct Reading {
        var values: [TOMLValue] = []
        var failure: TOMLValue?

        mutating func add(_ value: pawl_toml_value) {
            let keys = UnsafeBufferPointer(start: value.keys, count: value.depth)
            let copy = TOMLValue(
                keys: keys.map(Reading.string),
                text: value.kind == PAWL_TOML_OTHER ? nil : Reading.string(value.text),
                isEmpty: value.kind == PAWL_TOML_EMPTY,
                line: Int(value.line),
                column: Int(value.column)
            )
            if value.kind == PAWL_TOML_ERROR { failure = copy } else { values.append(copy) }
        }

        private static func string(_ text: pawl_toml_text) -> String {
            let bytes = UnsafeRawBufferPointer(start: text.bytes, count: text.length)
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
