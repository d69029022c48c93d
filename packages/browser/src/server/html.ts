import { splitIsolated } from '../banner/names.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** Returns text as HTML, in which each isolated value is a `<bdi>`. */
export function htmlOf(text: string): string {
  return splitIsolated(text)
    .map((piece, index) =>
      index % 2 === 0 ? escapeHtml(piece) : `<bdi>${escapeHtml(piece)}</bdi>`,
    )
    .join('')
}
