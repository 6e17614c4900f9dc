extension String {
    /// The text shortened to at most `columns`: an ellipsis replaces the middle, so that the
    /// beginning and the extension of a file name stay visible.
    package func shortened(toColumns columns: Int, ellipsis: String = "…") -> String {
        guard DisplayWidth.of(self) > columns else { return self }
        let room = columns - DisplayWidth.of(ellipsis)
        guard room >= 2 else { return prefix(columns: columns) }
        let head = prefix(columns: room - room * 2 / 5)
        return head + ellipsis + suffix(columns: room - DisplayWidth.of(head))
    }

    /// The text, followed by spaces up to `columns`.
    package func padded(toColumns columns: Int) -> String {
        self + String(repeating: " ", count: max(0, columns - DisplayWidth.of(self)))
    }

    /// The text, preceded by spaces up to `columns`.
    package func rightAligned(inColumns columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - DisplayWidth.of(self))) + self
    }

    private func prefix(columns: Int) -> String {
        var left = columns
        return String(
            prefix { character in
                left -= DisplayWidth.of(character)
                return left >= 0
            }
        )
    }

    private func suffix(columns: Int) -> String {
        var left = columns
        let start = reversed().prefix { character in
            left -= DisplayWidth.of(character)
            return left >= 0
        }
        return String(start.reversed())
    }
}
