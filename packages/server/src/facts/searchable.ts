/** Removes what a database cannot hold in a text that is searched: zero bytes and lone surrogates. */
export const searchable = (value: string): string => value.replace(/\0|\p{Surrogate}/gu, '\ufffd')
