extension Setting {
    /// Returns the row of the rules that move finished files.
    package static func moving(
        _ path: any WritableKeyPath<Root, [MoveRule]> & Sendable,
        entries: SettingEntries
    ) -> Setting {
        Setting(
            "move",
            member: "moveRules",
            path,
            each: .moveRule,
            most: 100,
            entries: entries,
            needsFile: { $0.contains(where: \.moves) },
            help: """
                Move a finished file by this rule, such as 'name=*.iso,size>1G -> ~/Images'. \
                Conditions: host=, name=, type=, session= and label= with a pattern or a name, \
                size> and size<. The first rule whose conditions are all met applies. May be given \
                several times; none moves nothing.
                """,
            about: """
                The rules that move finished files, such as `name=*.iso,size>1G -> ~/Images`; the \
                first one that matches applies. The rule `none` keeps each file where it is, so that \
                no later rule applies.
                """
        )
    }
}

extension SettingForm where Value == MoveRule {
    /// A rule as text.
    static let moveRule = SettingForm.parsed(
        "rule",
        text: { $0.text },
        parse: { (text) throws(ValueError) in try MoveRule(parsing: text) }
    )
}
