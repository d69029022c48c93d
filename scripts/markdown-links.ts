/** A link or an image of Markdown, or of HTML in it. */
const LINK = /(\]\(|(?:href|src|srcset)=")([^)"\s]+)(?=[)"])/g
const CODE_BLOCK = /^```.*?^```$/gms

/** Returns the targets of the links and images in a document, in order. Code blocks have none. */
export function linksIn(text: string): string[] {
  return [...text.replaceAll(CODE_BLOCK, '').matchAll(LINK)].map(([, , link = '']) => link)
}

/** Changes what the links and images of a document lead to. */
export function replaceLinks(text: string, change: (link: string) => string): string {
  const codeBlocks = text.match(CODE_BLOCK) ?? []
  return text
    .split(CODE_BLOCK)
    .map((prose) => prose.replace(LINK, (_, start: string, link: string) => start + change(link)))
    .reduce((joined, prose, index) => joined + codeBlocks[index - 1] + prose)
}

/** The anchors that GitHub makes of headings: lower case, without punctuation, numbered if repeated. */
export function anchorsIn(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(CODE_BLOCK, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    let number = 0
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`)
  }
  return anchors
}

/** The anchor that GitHub makes of the text of a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
