/// What `NSKeyedArchiver` writes: a list of objects that refer to each other by their places.
///
/// Looks up what it is asked for and never follows references by itself, so that circles do no harm.
struct KeyedArchive {
    private let objects: [PropertyList]
    /// The object that was archived, with its references.
    let root: PropertyList

    /// Nil where the list is no keyed archive.
    init?(_ list: PropertyList) {
        guard list["$archiver"] != nil, case .array(let objects)? = list["$objects"],
            let top = list["$top"]
        else { return nil }
        self.objects = objects
        // `archivedData(withRootObject:)` calls it `root`; the requests of iOS 10.0 use the other.
        guard let reference = top["NSKeyedArchiveRootObjectKey"] ?? top["root"],
            let root = Self.resolve(reference, objects)
        else { return nil }
        self.root = root
    }

    /// The object itself where the value refers to one; nil for nothing and for `$null`.
    func resolve(_ value: PropertyList?) -> PropertyList? {
        value.flatMap { Self.resolve($0, objects) }
    }

    private static func resolve(_ value: PropertyList, _ objects: [PropertyList]) -> PropertyList? {
        guard case .reference(let place) = value else { return value }
        // The first object stands for nil.
        guard place > 0, place < objects.count else { return nil }
        return objects[place]
    }

    /// The entries of an archived dictionary, their values resolved.
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

    /// A text, also an archived mutable one.
    func text(_ value: PropertyList?) -> String? {
        guard let object = resolve(value) else { return nil }
        if case .text(let text) = object { return text }
        guard case .text(let text)? = resolve(object["NS.string"]) else { return nil }
        return text
    }

    /// Bytes, also archived mutable ones.
    func data(_ value: PropertyList?) -> [UInt8]? {
        guard let object = resolve(value) else { return nil }
        if case .data(let bytes) = object { return bytes }
        guard case .data(let bytes)? = resolve(object["NS.data"]) else { return nil }
        return bytes
    }

    /// The text of an archived URL, and of the one that it is relative to.
    func url(_ value: PropertyList?) -> (text: String, base: String?)? {
        guard let object = resolve(value), let text = text(object["NS.relative"]) else {
            return nil
        }
        let base = resolve(object["NS.base"]).flatMap { self.text($0["NS.relative"]) }
        return (text, base)
    }

    /// All archived URLs, in the order of their places.
    var urls: [(text: String, base: String?)] { objects.compactMap { url($0) } }
}
