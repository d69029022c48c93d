/** A color as CSS writes it: `#2f3fb5`. */
export type Color = `#${string}`

/** The firm's name, logo and color, for its customers and its support. */
export interface Brand {
  /** The name of the firm, 1 to 60 characters on one line, for pages and the subject of mails. */
  readonly name: string
  /**
   * An https URL, or a `data:` URL of at most 65536 characters with a PNG, JPEG, GIF, WebP or SVG
   * in base64. Mail programs show no SVG.
   * @defaultValue the mark of the console
   */
  readonly logo?: string | undefined
  /**
   * The color of links, buttons and the head of mails, such as `'#2f3fb5'`. If text in it has a
   * contrast below 4.5 to 1, `supportConsole()` throws a `TypeError` with the ratio.
   * @defaultValue blue
   */
  readonly color?: string | undefined
}

/** The brand, once its color has been checked. */
export interface BrandSettings extends Brand {
  readonly color?: Color | undefined
}

/** The darkest of the grounds on which links stand in light mode: see `style/colors.css`. */
export const DARKEST_GROUND: Color = '#eceef3'
/** The least contrast of text, by WCAG 1.4.3. */
const LEAST_CONTRAST = 4.5

/**
 * @param path of the option, for the error
 * @throws TypeError if the color cannot be read on the pages
 */
export function assertReadable(color: Color, path: string): void {
  const contrast = contrastOf(color, DARKEST_GROUND)
  if (contrast >= LEAST_CONTRAST) return
  const shown = Math.floor(contrast * 100) / 100
  throw new TypeError(
    `${path}.color ${color} has a contrast of ${shown} to 1 with ${DARKEST_GROUND}, on which links stand. Text needs ${LEAST_CONTRAST} to 1: take a darker color`,
  )
}

/** The contrast of two colors by WCAG 2: from 1 to 21. */
export function contrastOf(one: Color, other: Color): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminanceOf(color: Color): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Replaces the colors of the style. Even black can be read in dark mode with so much white in it. */
export function brandStyle(color: Color): string {
  return `:root{--brand:${color};--accent:var(--brand);--accent-strong:var(--accent);--accent-soft:var(--sunken)}
@media (prefers-color-scheme: dark){:root{--accent:color-mix(in srgb,var(--brand) 35%,white)}}
`
}

/** From where a page may load images, as its policy of content says it. */
export function imageSources(brand: BrandSettings | undefined): string {
  const { logo } = brand ?? {}
  if (logo === undefined) return "'self'"
  return `'self' ${logo.startsWith('data:') ? 'data:' : new URL(logo).origin}`
}
