internal import Pawl
internal import PawlCore
internal import PawlWire

/// Lists of downloads.
extension DaemonClient {
    /// The selected downloads, each once, by ascending ID.
    ///
    /// With `all` and no states, they are those that have not ended, and the failed ones.
    ///
    /// - Throws: `.notFound` for a target that matches no download.
    func selected(_ selection: Selection) async throws(DownloadError) -> [WireDownload] {
        try await selected(selection, \.id) { (query) async throws(DownloadError) in
            try await all(query)
        }
    }

    /// The requests of the selected downloads, like ``selected(_:)``.
    func requests(of selection: Selection) async throws(DownloadError) -> [WireRequest] {
        try await selected(selection, \.id) { (query) async throws(DownloadError) in
            var (query, requests) = (query, [WireRequest]())
            while true {
                let page = try await self.requests(query)
                requests += page.requests
                guard let next = page.next else { return requests }
                query.after = try Self.checked(next, after: query.after)
            }
        }
    }

    private func selected<Item>(
        _ selection: Selection,
        _ id: KeyPath<Item, Int64>,
        _ list: (ListQuery) async throws(DownloadError) -> [Item]
    ) async throws(DownloadError) -> [Item] {
        var query = ListQuery()
        query.limit = ListQuery.mostLimit
        (query.session, query.label) = (selection.session, selection.label)
        let usual = selection.all == true ? ListQuery.unfinishedOrFailed : []
        query.states = selection.states ?? usual
        var items: [Int64: Item] = [:]
        for targets in selection.targets.map({ $0.map { [$0] } }) ?? [[]] {
            query.targets = targets
            let found = try await list(query)
            if let target = targets.first, found.isEmpty {
                throw Self.notFound(target, selection)
            }
            for item in found { items[item[keyPath: id]] = item }
        }
        return items.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Throws `.notFound` for an ID or a name that matches no download.
    func check(_ targets: [String]) async throws(DownloadError) {
        for target in targets where !NamePattern.isOne(target) {
            var query = ListQuery()
            (query.targets, query.limit) = ([target], 1)
            guard try await !list(query).downloads.isEmpty else {
                throw Self.notFound(target)
            }
        }
    }

    /// The downloads of all pages of a list.
    func all(_ query: ListQuery) async throws(DownloadError) -> [WireDownload] {
        var (query, downloads) = (query, [WireDownload]())
        while true {
            let page = try await list(query)
            downloads += page.downloads
            guard let next = page.next else { return downloads }
            query.after = try Self.checked(next, after: query.after)
        }
    }

    /// The newest downloads that have ended, followed by all that have not.
    func recent(_ query: ListQuery, ended: Int) async throws(DownloadError) -> [WireDownload] {
        var (open, last) = (query, query)
        open.states = ListQuery.unfinished
        last.states = Set(TaskState.allCases).subtracting(ListQuery.unfinished)
        last.newestFirst = true
        last.limit = ended
        let newest = try await list(last).downloads
        return try await newest + all(open)
    }

    static func notFound(
        _ target: String,
        _ selection: Selection = Selection()
    ) -> DownloadError {
        DownloadError(.notFound, selection.unmatched(target), advice: "see 'pawl list --all'")
    }
}
