internal import CExpat
package import PawlCore

/// Reads an XML document piece by piece, in the memory that its largest part needs.
///
/// The document may come from anyone. A document type declaration is refused, because entities are
/// declared in it: a short one can stand for gigabytes, or for the content of a file.
package final class XMLReader {
    /// The largest document parts that are accepted.
    package struct Limits: Sendable {
        /// The maximum number of elements within each other.
        package var depth = 64
        /// The maximum size of a tag or a comment, in bytes of the document.
        package var markupBytes = 256 << 10
        /// The maximum size of the text of an element, in UTF-8.
        package var textBytes = 1 << 20

        package init() {}
    }

    /// The size of the pieces in which libexpat gets the document, which also limits the number of
    /// events that wait for the handler.
    private static let pieceBytes = 16 << 10
    private let name: String
    private let code: ErrorCode
    private let limits: Limits
    private let parser: OpaquePointer?
    private let collector: Collector
    /// The number of bytes since the last part that was complete.
    private var waitingBytes = 0

    /// - Parameters:
    ///   - name: The name of the document, for errors.
    ///   - code: The code of the error that is thrown if the document cannot be used.
    ///   - encoding: The encoding, whatever the document declares; by default, that which it declares.
    package init(
        _ name: String,
        failure code: ErrorCode,
        limits: Limits = Limits(),
        encoding: String? = nil
    ) {
        self.name = name
        self.code = code
        self.limits = limits
        parser = XML_ParserCreate(encoding)
        collector = Collector(parser, limits)
        XML_SetUserData(parser, Unmanaged.passUnretained(collector).toOpaque())
        XML_SetElementHandler(
            parser,
            { context, name, attributes in
                guard let context, let name else { return }
                Collector.at(context).start(name, attributes)
            },
            { context, _ in
                guard let context else { return }
                Collector.at(context).end()
            }
        )
        XML_SetCharacterDataHandler(parser) { context, text, count in
            guard let context else { return }
            Collector.at(context).add(UnsafeBufferPointer(start: text, count: Int(count)))
        }
        XML_SetDefaultHandlerExpand(parser) { context, _, _ in
            guard let context else { return }
            Collector.at(context).sawPart = true
        }
        XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
            guard let context else { return }
            Collector.at(context).refuse("it has a document type declaration")
        }
    }

    deinit { XML_ParserFree(parser) }

    /// Reads the next bytes of the document, and calls the handler with what they complete.
    ///
    /// Do not call it again after it has thrown an error.
    package func read(
        _ bytes: some Collection<UInt8>,
        _ handle: (XMLEvent) throws(DownloadError) -> Void
    ) throws(DownloadError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.pieceBytes))
            rest = rest.dropFirst(piece.count)
            waitingBytes += piece.count
            try parse(piece, isLast: false)
            if collector.sawPart { waitingBytes = piece.count }
            guard waitingBytes <= limits.markupBytes + Self.pieceBytes else {
                throw failure("a tag or comment is longer than \(limits.markupBytes) bytes")
            }
            for event in collector.take() { try handle(event) }
        }
    }

    /// Checks that the document is complete, and calls the handler with the rest.
    package func finish(
        _ handle: (XMLEvent) throws(DownloadError) -> Void
    ) throws(DownloadError) {
        try parse([], isLast: true)
        for event in collector.take() { try handle(event) }
    }

    private func parse(_ piece: [UInt8], isLast: Bool) throws(DownloadError) {
        let status = piece.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return XML_Parse(parser, start, Int32(bytes.count), isLast ? 1 : 0)
        }
        if let refusal = collector.refusal { throw failure(refusal) }
        guard status == XML_STATUS_OK else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map(String.init(cString:))
            throw failure(reason ?? "not enough memory")
        }
    }

    private func failure(_ reason: String) -> DownloadError {
        let line = XML_GetCurrentLineNumber(parser)
        return DownloadError(code, "\(name) cannot be read as XML: line \(line): \(reason)")
    }

    /// What libexpat has reported since the handler was called last.
    private final class Collector {
        private struct OpenElement {
            let name: XMLName
            var text: [UInt8] = []
        }

        private let parser: OpaquePointer?
        private let limits: Limits
        private var open: [OpenElement] = []
        private var namespaces = XMLNamespaces()
        private var events: [XMLEvent] = []
        /// Why the document is refused.
        private(set) var refusal: String?
        /// Whether any part of the document was complete.
        var sawPart = false

        init(_ parser: OpaquePointer?, _ limits: Limits) {
            self.parser = parser
            self.limits = limits
        }

        static func at(_ context: UnsafeMutableRawPointer) -> Collector {
            Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
        }

        func take() -> [XMLEvent] {
            defer { events.removeAll(keepingCapacity: true) }
            sawPart = false
            return events
        }

        func start(
            _ name: UnsafePointer<CChar>,
            _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) {
            sawPart = true
            // libexpat may report a few more parts after it was told to stop.
            guard refusal == nil else { return }
            guard open.count < limits.depth else {
                return refuse("elements are nested more than \(limits.depth) levels deep")
            }
            let attributes = Self.pairs(attributes)
            if let reason = namespaces.begin(attributes) { return refuse(reason) }
            guard let name = namespaces.name(String(cString: name)),
                attributes.allSatisfy({ namespaces.knows($0.name) })
            else { return refuse("unbound prefix") }
            var element = XMLElement(name)
            for (name, value) in attributes {
                if name == Self.base { element.base = value }
                guard !name.utf8.contains(UInt8(ascii: ":")), name != "xmlns" else { continue }
                element.attributes[name] = value
            }
            open.append(OpenElement(name: element.name))
            events.append(.start(element))
        }

        func end() {
            sawPart = true
            guard refusal == nil, let element = open.popLast() else { return }
            namespaces.end()
            events.append(.end(element.name, text: String(decoding: element.text, as: UTF8.self)))
        }

        func add(_ text: UnsafeBufferPointer<CChar>) {
            sawPart = true
            guard refusal == nil, let last = open.indices.last else { return }
            guard open[last].text.count + text.count <= limits.textBytes else {
                return refuse("the text of an element is longer than \(limits.textBytes) bytes")
            }
            open[last].text.append(contentsOf: text.lazy.map(UInt8.init(bitPattern:)))
        }

        func refuse(_ reason: String) {
            refusal = refusal ?? reason
            XML_StopParser(parser, 0)
        }

        /// Names and values alternate, up to a null pointer.
        private static func pairs(
            _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> [(name: String, value: String)] {
            var pairs: [(name: String, value: String)] = []
            guard var next = attributes else { return pairs }
            while let name = next[0], let value = next[1] {
                pairs.append((String(cString: name), String(cString: value)))
                next += 2
            }
            return pairs
        }

        private static let base = "xml:base"
    }
}
