import { SLOT } from 'oidc-provider-impersonation-verify/format'
import type { ComponentChildren } from 'preact'

/** A sentence with elements in its slots: `<Text of={…} name={<b>…</b>} />`. */
export function Text({ of, ...slots }: { of: string } & Record<string, ComponentChildren>) {
  const parts = of.split(SLOT)
  return (
    <>{parts.map((part, index) => (index % 2 ? <bdi key={index}>{slots[part]}</bdi> : part))}</>
  )
}
