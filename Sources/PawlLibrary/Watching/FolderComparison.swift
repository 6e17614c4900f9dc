package import PawlCore

/// Computes the changes from one content of a folder to another.
///
/// The changes must be applied in order: in a chain of renames (`log.1` to `log.2`, `log` to
/// `log.1`) the first one makes room for the next. Files that exchanged names in a circle count as
/// modified.
package enum FolderComparison {
    package typealias Files = [ExactText: FileStamp]

    package static func changes(from old: Files, to new: Files) -> [FolderChange] {
        let gone = old.keys.filter { new[$0] == nil }.sorted()
        let different = new.filter { old[$0.key] != $0.value }.map(\.key).sorted()
        var renames = Renames(from: old, to: new, different)
        let chains = renames.takeChains()
        let renamed = Set(chains.map(\.source)), named = Set(chains.map(\.target))
        return gone.filter { !renamed.contains($0) }.map { .removed($0) }
            + chains.map { .renamed(from: $0.source, to: $0.target) }
            + different.filter { !named.contains($0) }.map { name in
                // A name whose file was renamed away is free for a new file.
                old[name] == nil || renamed.contains(name) ? .added(name) : .modified(name)
            }
    }

    private struct Renames {
        private var sourceOf: [ExactText: ExactText] = [:]
        private var targets: [ExactText] = []
        private var sources: Set<ExactText> = []

        init(from old: Files, to new: Files, _ different: [ExactText]) {
            var left: [FileStamp: [ExactText]] = [:]
            for (name, stamp) in old where new[name] != stamp {
                left[stamp, default: []].append(name)
            }
            for target in different {
                guard let stamp = new[target], var names = left[stamp] else { continue }
                // Of several names of one file, always the same one is chosen.
                names.sort(by: >)
                guard let source = names.popLast() else { continue }
                left[stamp] = names
                sourceOf[target] = source
                sources.insert(source)
                targets.append(target)
            }
        }

        /// Takes each chain from its end, so that names are free when they are needed.
        ///
        /// Circles have no end and remain.
        mutating func takeChains() -> [(source: ExactText, target: ExactText)] {
            var chains: [(source: ExactText, target: ExactText)] = []
            for end in targets where !sources.contains(end) {
                var target = end
                while let source = sourceOf.removeValue(forKey: target) {
                    chains.append((source, target))
                    target = source
                }
            }
            return chains
        }
    }
}
