internal import FoundationEssentials
internal import PawlPostgres
internal import PawlWire

/// The last message of a transaction: it counts the changes of what other daemons keep in memory,
/// numbers the events, writes them with their responses, notifies other sessions, and commits.
///
/// The server begins with it when it has all of it. So no daemon that is stopped or cut off holds
/// the counter of the events, for which all others wait; and the order of the events is that of the
/// commits.
struct EventScript {
    let text: String
    /// The index of the result that contains the id of the newest event ever.
    let lastEventIndex: Int

    /// The query for the id of the newest event ever.
    static let lastEvent = "SELECT value FROM counter WHERE name = 'event'"

    /// Takes the events that have no numbers; returns `nil` if there is none, and no topic.
    init?(_ events: PendingEvents, _ topics: Set<ChangeTopic>) throws {
        var (count, rows, responses) = (0, [String](), [String]())
        try events.number { taken in
            count = taken
            return Int64(taken)
        } _: { place, entry, response in
            // `place` counts from 1, and the counter then has the number of the last event.
            let id = "(\(Self.lastEvent)) - \(Int64(count) - place)"
            let values = [id] + entry.values.map { PostgresValue($0).literal }
            rows.append("(\(values.joined(separator: ", ")))")
            if let response { responses.append(try Self.insertion(of: response, at: id)) }
        }
        guard count > 0 || events.hasNumbers || !topics.isEmpty else { return nil }
        // In one order, so that no two transactions wait for each other; the events come last.
        let counts = topics.map(\.rawValue).sorted().map(Self.counting)
        lastEventIndex = counts.count
        var statements = counts
        if count > 0 {
            if !responses.isEmpty { responses.append(Self.deletion) }
            statements += [
                "UPDATE counter SET value = value + \(count) WHERE name = 'event' RETURNING value",
                "INSERT INTO event (id, \(EventTable.columns)) VALUES "
                    + rows.joined(separator: ", "),
            ]
            statements += responses
        } else {
            statements.append(Self.lastEvent)
        }
        // Before that of an event: who learns of the event has learned of the change.
        if !counts.isEmpty { statements.append(Self.notification("'\(Notice.topicWord)'")) }
        if count > 0 || events.hasNumbers {
            statements.append(Self.notification("'\(Notice.eventWord) ' || (\(Self.lastEvent))"))
        }
        text = (statements + ["COMMIT"]).joined(separator: "; ")
    }

    /// What other daemons receive after the commit.
    enum Notice {
        /// An event is new.
        case event(Int64)
        /// A topic was changed.
        case topic

        fileprivate static let eventWord = "e"
        fileprivate static let topicWord = "t"

        /// Returns `nil` for a notice of something else.
        init?(_ text: String) {
            let words = text.split(separator: " ")
            if words.count == 2, words[0] == Self.eventWord, let id = Int64(words[1]) {
                self = .event(id)
            } else if words == [Self.topicWord[...]] {
                self = .topic
            } else {
                return nil
            }
        }
    }

    /// Other daemons listen on the channel that has the name of the schema.
    private static func notification(_ text: String) -> String {
        "SELECT pg_notify(current_schema(), \(text))"
    }

    private static func counting(_ topic: String) -> String {
        """
        INSERT INTO counter AS known (name, value) VALUES ('\(topic)', 1)
        ON CONFLICT (name) DO UPDATE SET value = known.value + 1
        """
    }

    /// Returns the statement of ``ErrorResponseTable/insert(_:at:)``.
    private static func insertion(
        of entry: ErrorResponseTable.Entry,
        at event: String
    ) throws -> String {
        let response = try ColumnCoding.text(entry.response.response) ?? ""
        let download = PostgresValue.integer(entry.download).literal
        let values = [
            event, PostgresValue.text(entry.session).literal + "::text", download + "::bigint",
            PostgresValue.text(response).literal + "::text",
            PostgresValue.bytes(Array(entry.response.body)).literal + "::bytea",
            entry.response.isWhole ? "1" : "0",
        ]
        return """
            INSERT INTO errorResponse (event, session, download, response, body, isWhole)
            SELECT \(values.joined(separator: ", "))
            WHERE EXISTS (SELECT 1 FROM download WHERE id = \(download))
            """
    }

    private static let deletion = """
        DELETE FROM errorResponse WHERE event <=
            (SELECT event FROM errorResponse ORDER BY event DESC LIMIT 1
                OFFSET \(ErrorResponseTable.mostKept))
        """
}
