/** Colours and sizes. Each verdict has an ink for text, a tint for surfaces and a deep shade for white text. */
export const TOKEN_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f3ef; --surface: #fffefb; --sunken: #f0eee8; --line: #e2dfd6; --line-strong: #c9c5b8;
  --ink: #191b20; --muted: #5b606b; --link: #1d4f91; --gold: #c8962c; --rock: #23262d; --focus: #1d4f91;
  --safe: #0a6b42; --safe-tint: #e4f2e9; --safe-deep: #0a6b42;
  --caution: #855600; --caution-tint: #fbf0d3; --caution-deep: #855600;
  --avoid: #ab1f1a; --avoid-tint: #fbe7e4; --avoid-deep: #a51d18;
  --unknown: #505968; --unknown-tint: #ebecef; --unknown-deep: #505968;
  --up: #2c9a66; --down: #c8352c; --gap: #8b92a0; --series: #2f66b0; --series-soft: #9dbbe3;
  --shadow: 0 1px 2px #1a191408, 0 8px 28px -12px #1a191424;
  --radius: 14px;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1014; --surface: #16191f; --sunken: #1d2128; --line: #2a2f38; --line-strong: #434a56;
    --ink: #e9eaed; --muted: #a0a7b4; --link: #8fb8f2; --gold: #e0b24a; --rock: #2b3039; --focus: #8fb8f2;
    --safe: #5fd39b; --safe-tint: #12291f; --safe-deep: #0a5c3a;
    --caution: #eab84d; --caution-tint: #2c2310; --caution-deep: #714a02;
    --avoid: #ff8d82; --avoid-tint: #331816; --avoid-deep: #8c1a16;
    --unknown: #b4bcc9; --unknown-tint: #22272f; --unknown-deep: #414957;
    --up: #3fb57d; --down: #ef6157; --gap: #8b94a4; --series: #7fb0f0; --series-soft: #34527c;
    --shadow: 0 1px 2px #0006, 0 10px 30px -14px #000c;
  }
}
.v-safe { --v: var(--safe); --v-tint: var(--safe-tint); --v-deep: var(--safe-deep); }
.v-caution { --v: var(--caution); --v-tint: var(--caution-tint); --v-deep: var(--caution-deep); }
.v-avoid { --v: var(--avoid); --v-tint: var(--avoid-tint); --v-deep: var(--avoid-deep); }
.v-unknown { --v: var(--unknown); --v-tint: var(--unknown-tint); --v-deep: var(--unknown-deep); }
`
