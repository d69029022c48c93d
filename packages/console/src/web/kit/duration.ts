const units = { hour: 3600, minute: 60, second: 1 } as const

/** Such as *10 minutes*. @param seconds how long */
export function durationText(seconds: number, language: string): string {
  const unit = seconds % 3600 === 0 ? 'hour' : seconds % 60 === 0 ? 'minute' : 'second'
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    seconds / units[unit],
  )
}
