internal import Glibc

/// How many processors this process may use.
enum ProcessorCount {
    static var available: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
