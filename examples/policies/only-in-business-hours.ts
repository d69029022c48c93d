import type { Authorize } from 'oidc-provider-impersonation'

const PUBLIC_HOLIDAYS = new Set(['2026-12-25', '2027-01-01'])
const WEEKEND_DAYS = ['Sat', 'Sun']

const clock = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Berlin',
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  hourCycle: 'h23',
})

/** Monday to Friday, 8:00 to 17:59 in the support team's time zone. */
export const businessHours: Authorize = () => {
  const parts = clock.formatToParts(Date.now()).map(({ type, value }) => [type, value])
  const { weekday = '', year, month, day, hour } = Object.fromEntries(parts)
  return (
    !WEEKEND_DAYS.includes(weekday) &&
    !PUBLIC_HOLIDAYS.has(`${year}-${month}-${day}`) &&
    Number(hour) >= 8 &&
    Number(hour) < 18
  )
}
