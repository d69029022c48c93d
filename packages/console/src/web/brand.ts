import { type Color, contrastOf, mix } from '../kernel/contrast.ts'

/** How the firm shows itself to its customers and to its support. */
export interface Brand {
  /** The name of the firm, with 1 to 60 characters on one line. It stands on each page, and in the subject of each mail. */
  readonly name: string
  /**
   * An https URL, or a `data:` URL with a PNG, JPEG, GIF, WebP or SVG in base64, with at most 65536 characters. It is
   * shown 28 pixels high. The pages may load images from this one origin. A `data:` URL is sent as a part of the mail.
   * Mail programs show no SVG.
   *
   * @defaultValue The mark of the console.
   */
  readonly logo?: string | undefined
  /**
   * The color of links, buttons and the head of mails, such as `'#2f3fb5'`. If text in it has a contrast below 4.5 to 1
   * on a ground of the pages, `supportConsole()` throws a `TypeError` with the ratio. The color for dark mode follows
   * from it. The banner stands in your application, so your stylesheet gives it your colors.
   *
   * @defaultValue The blue of the console.
   */
  readonly color?: string | undefined
}

/** The brand with the colors that follow from it. */
export interface BrandSettings {
  readonly name: string
  readonly logo?: string | undefined
  readonly palette?: Readonly<Record<'dark' | 'light', Palette>> | undefined
}

interface Palette {
  readonly accent: Color
  readonly accentStrong: Color
  readonly accentSoft: Color
}

const WHITE = '#ffffff'
const BLACK = '#000000'
/** The grounds on which links stand: see `style/colors.css`. */
export const LIGHT_GROUNDS: readonly Color[] = [WHITE, '#f5f6f9', '#eceef3']
export const DARK_GROUNDS: readonly Color[] = ['#1a1d26', '#11131a', '#242835']
/** Of text, by WCAG 1.4.3. */
const LEAST_CONTRAST = 4.5
/** By so much the color is made lighter at a time, until it can be read in dark mode. */
const STEP = 0.05

/**
 * @param path of the option, for the error
 * @throws TypeError where the color cannot be read on the pages
 */
export function brandSettings(
  { name, logo, color }: { name: string; logo?: string | undefined; color?: Color | undefined },
  path: string,
): BrandSettings {
  return { name, logo, palette: color && { light: lightPalette(color, path), dark: dark(color) } }
}

function lightPalette(accent: Color, path: string): Palette {
  const accentSoft = mix(accent, WHITE, 0.9)
  const [worst = WHITE] = [...LIGHT_GROUNDS, accentSoft].toSorted(
    (one, other) => contrastOf(accent, one) - contrastOf(accent, other),
  )
  const contrast = contrastOf(accent, worst)
  if (contrast < LEAST_CONTRAST) {
    const shown = Math.floor(contrast * 100) / 100
    throw new TypeError(
      `${path}.color ${accent} has a contrast of ${shown} to 1 with ${worst}, on which links stand. Text needs ${LEAST_CONTRAST} to 1: take a darker color`,
    )
  }
  return { accent, accentSoft, accentStrong: mix(accent, BLACK, 0.2) }
}

function dark(color: Color): Palette {
  for (let share = 0; ; share += STEP) {
    const accent = mix(color, WHITE, Math.min(share, 1))
    const accentSoft = mix(accent, '#1a1d26', 0.8)
    const isReadable = [...DARK_GROUNDS, accentSoft].every(
      (ground) => contrastOf(accent, ground) >= LEAST_CONTRAST,
    )
    if (isReadable || share >= 1) {
      return { accent, accentSoft, accentStrong: mix(accent, WHITE, 0.3) }
    }
  }
}

/** What replaces the colors of the style, where the brand has one. */
export function brandStyle({ palette }: BrandSettings): string | undefined {
  if (!palette) return undefined
  const variables = ({ accent, accentStrong, accentSoft }: Palette) =>
    `:root{--accent:${accent};--accent-strong:${accentStrong};--accent-soft:${accentSoft}}`
  return `${variables(palette.light)}\n@media (prefers-color-scheme: dark){${variables(palette.dark)}}\n`
}

/** From where a page may load images, as its policy of content says it. */
export function imageSources(brand: BrandSettings | undefined): string {
  const { logo } = brand ?? {}
  if (logo === undefined) return "'self'"
  return `'self' ${logo.startsWith('data:') ? 'data:' : new URL(logo).origin}`
}
