// Characters that do not show as they are: controls (ANSI sequences), formats (bidi overrides), line separators, and
// other invisible ones, such as variation selectors.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Escapes characters that a terminal or a page would not show as they are, such as `\n` and `\u{202e}`. */
export function escapeText(text: string): string {
  return text.replace(HIDDEN, (char) => SHORT[char] ?? `\\u{${char.codePointAt(0)?.toString(16)}}`)
}
