/** The file in a data directory that holds the identity of its store: where it is, a store stands. */
export const STORE_MARK = '.loam-store'
