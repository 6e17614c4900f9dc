/// The output of `NSKeyedArchiver`: a list of objects that refer to each other by position.
///
/// It looks up only what is requested and never follows references by itself, so loops do no harm.
struct KeyedArchive {
    private let objects: [PropertyList]
    /// The archived object, with its references.
    let root: PropertyList

    /// Returns `nil` if the list is not a keyed archive.
    init?(_ list: PropertyList) {
        guard list["$archiver"] != nil, case .array(let objects)? = list["$objects"],
            let top = list["$top"]
        else { return nil }
        self.objects = objects
        // `archivedData(withRootObject:)` uses `root`; the requests of iOS 10.0 use the other key.
        guard let reference = top["NSKeyedArchiveRootObjectKey"] ?? top["root"],
            let root = Self.resolve(reference, objects)
        else { return nil }
        self.root = root
    }

    /// Returns the object to which the value refers, or the value itself; `nil` for nothing and for
    /// `$null`.
    func resolve(_ value: PropertyList?) -> PropertyList? {
        value.flatMap { Self.resolve($0, objects) }
    }

    private static func resolve(_ value: PropertyList, _ objects: [PropertyList]) -> PropertyList? {
        guard case .reference(let index) = value else { return value }
        // The first object represents `nil`.
        guard index > 0, index < objects.count else { return nil }
        return objects[index]
    }

    /// Returns the entries of an archived dictionary with their values resolved.
    func entries(_ object: PropertyList) -> [String: PropertyList]? {
        guard case .array(let keys)? = object["NS.keys"],
            case .array(let values)? = object["NS.objects"]
        else { return nil }
        var entries: [String: PropertyList] = [:]
        for (key, value) in zip(keys, values) {
            guard let name = text(key), let value = resolve(value) else { continue }
            entries[name] = value
        }
        return entries
    }

    /// Returns a text, including an archived mutable one.
    func text(_ value: PropertyList?) -> String? {
        guard let object = resolve(value) else { return nil }
        if case .text(let text) = object { return text }
        guard case .text(let text)? = resolve(object["NS.string"]) else { return nil }
        return text
    }

    /// Returns bytes, including archived mutable ones.
    func data(_ value: PropertyList?) -> [UInt8]? {
        guard let object = resolve(value) else { return nil }
        if case .data(let bytes) = object { return bytes }
        guard case .data(let bytes)? = resolve(object["NS.data"]) else { return nil }
        return bytes
    }

    /// Returns the text of an archived URL, and of the URL that it is relative to.
    func url(_ value: PropertyList?) -> (text: String, base: String?)? {
        guard let object = resolve(value), let text = text(object["NS.relative"]) else {
            return nil
        }
        let base = resolve(object["NS.base"]).flatMap { self.text($0["NS.relative"]) }
        return (text, base)
    }

    /// All archived URLs in the order of their positions.
    var urls: [(text: String, base: String?)] { objects.compactMap { url($0) } }
}
