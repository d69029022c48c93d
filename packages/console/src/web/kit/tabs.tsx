import type { At, StaffAt } from './at.ts'
import { Link } from './link.tsx'

/** Pages that belong together, with one link in the head. One page alone needs no tabs. */
export function Tabs(
  { of, label }: { of: readonly { readonly to: string; readonly label: string }[]; label: string },
  { here }: At,
) {
  if (of.length < 2) return null
  return (
    <nav class="tabs" aria-label={label}>
      {of.map(({ to, label }) => (
        <Link key={to} to={to} current={here.split('?')[0] === to}>
          {label}
        </Link>
      ))}
    </nav>
  )
}

/** The audit by impersonation, and by record. */
export function AuditTabs(_: object, { me, words }: StaffAt) {
  const { impersonations, records } = words
  const { audit } = impersonations
  return (
    <Tabs
      label={me.role === 'operator' ? audit.titleOwn : audit.title}
      of={[
        { to: '/audit', label: audit.tab },
        { to: '/records', label: records.history.title },
      ]}
    />
  )
}

/** The settings: the rules, and personal data for those who may erase. */
export function SettingsTabs(_: object, { me, words }: StaffAt) {
  if (me.role === 'operator') return null
  return (
    <Tabs
      label={words.web.settings}
      of={[
        { to: '/rules', label: words.rules.title },
        ...(me.mayErase ? [{ to: '/personal-data', label: words.personalData.title }] : []),
      ]}
    />
  )
}
