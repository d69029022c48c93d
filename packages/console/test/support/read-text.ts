/** The text of a page on one line, as a person reads it. Names stand without their isolates. */
export function readText(html: string) {
  return html
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<(?:bdi|b|span|time|code)\b[^>]*>|<\/(?:bdi|b|span|time|code)>|[\u2066-\u2069]/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
}
