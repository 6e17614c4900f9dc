internal import Glibc

/// The number of processors that this process may use.
enum ProcessorCount {
    static var available: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
