internal import FoundationEssentials
internal import PawlCore

/// A list in JSON: an array of URLs or objects, or one object per line.
///
/// The members of an object are `url`, `name` for the file's name, and the keys of other lists; a
/// list of values gives a key several times.
enum JSONList {
    static func entries(of text: String, _ name: String) throws(DownloadError) -> [InputList.Entry]
    {
        let isArray = text.unicodeScalars.first { !$0.properties.isWhitespace } == "["
        guard isArray else {
            var entries: [InputList.Entry] = []
            for (number, line) in InputList.lines(of: text)
            where !line[...].trimmed(of: InputList.blanks).isEmpty {
                let location = "\(name), line \(number)"
                entries.append(try entry(try value(of: line, location), location))
            }
            return entries
        }
        guard case .list(let values) = try value(of: text, name) else { return [] }
        var entries: [InputList.Entry] = []
        for (number, value) in zip(1..., values) {
            entries.append(try entry(value, "\(name), entry \(number)"))
        }
        return entries
    }

    private static func value(
        of text: String,
        _ location: String
    ) throws(DownloadError) -> JSONValue {
        do {
            return try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        } catch {
            throw .usage(
                "\(location): the text is not valid JSON",
                advice: "write an array of URLs or objects, or one object per line"
            )
        }
    }

    private static func entry(
        _ value: JSONValue,
        _ location: String
    ) throws(DownloadError) -> InputList.Entry {
        if case .text(let url) = value { return InputList.Entry(url: url, location: location) }
        guard case .members(let members) = value, case .text(let url)? = value["url"] else {
            throw .usage(
                "\(location): there is no URL",
                advice: "write a text, or an object with the member url"
            )
        }
        var entry = InputList.Entry(url: url, location: location)
        for member in members where member.name != "url" {
            let values = if case .list(let list) = member.value { list } else { [member.value] }
            for value in values where value != .null {
                let key = member.name == InputList.nameKey ? "output" : member.name
                try entry.add(key, try text(of: value, member.name, location))
            }
        }
        return entry
    }

    private static func text(
        of value: JSONValue,
        _ key: String,
        _ location: String
    ) throws(DownloadError) -> String {
        switch value {
        case .text(let text): return text
        case .number(let number): return "\(number)"
        case .decimal(let number): return "\(number)"
        case .truth(let truth): return "\(truth)"
        case .list, .members, .null:
            throw .usage(
                "\(location): the value of '\(key)' is \(value.brief)",
                advice: "write a text, a number, true or false, or a list of them"
            )
        }
    }
}
