/** Returns the shell line that installs archives in the folder that holds them, to be run in the caller's folder. */
export function describeInstall(folder: string, from: string, archives: readonly string[]): string
