/** Sets the default version in the text of an Action. */
export function pinVersion(text, version) {
  return text.replace(
    /^( {2}version:\n {4}description: .*\n {4}default: ).*$/m,
    (_, before) => `${before}"${version}"`,
  )
}
