import type { ComponentChildren } from 'preact'
import type { At } from './at.ts'

/** The whole page: nothing inline in it. */
export function Document(
  props: {
    title: string
    /** The addresses of style, icon and script. */
    styles: readonly string[]
    icon: string
    script?: string | undefined
    data?: Readonly<Record<`data-${string}`, number | string | undefined>>
    children: ComponentChildren
  },
  { language }: At,
) {
  const { title, styles, icon, script, data, children } = props
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        {styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {script && <script type="module" src={script} />}
        <link rel="icon" href={icon} />
      </head>
      <body {...data}>{children}</body>
    </html>
  )
}
