/** Counts the tests in the reports below a folder. */
export function countReports(root: string): { readonly lines: readonly string[]; readonly isWhole: boolean }
