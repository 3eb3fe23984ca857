/** The few parts of better-sqlite3 that the benchmark uses; the package carries no types. */
declare module 'better-sqlite3' {
  type Statement = { run(...values: unknown[]): unknown }
  export default class Database {
    constructor(path: string)
    pragma(source: string): unknown
    exec(source: string): this
    prepare(source: string): Statement
    close(): this
  }
}
