// The texts of the banner in German: `banner.texts = german`. Text with values is a function.
export const german = {
  who: ({ actorName, userName }) => `${actorName} handelt als ${userName}`,
  title: ({ userName, title }) => `Als ${userName} · ${title}`,
  whoActed: ({ actorName, userName }) => `${actorName} hat als ${userName} gehandelt`,
  nameless: '(ohne Namen)',
  ticket: ({ ticket }) => `Vorgang ${ticket}`,
  lookOnly: 'Nur ansehen',
  lookAndChange: 'Ansehen und ändern',
  toBeReviewed: 'Wird überprüft',
  left: ({ minutes, seconds }) => `noch ${minutes}:${String(seconds).padStart(2, '0')}`,
  lastSeconds: ({ seconds }) => `Nur noch ${seconds} s`,
  announcement: ({ seconds, userName }) => `Noch ${seconds} Sekunden als ${userName}`,
  end: 'Beenden',
  ending: 'Wird beendet …',
  endFailed:
    'Nicht beendet: Die Anfrage ist fehlgeschlagen. Prüfen Sie die Verbindung, dann beenden Sie noch einmal.',
  ended: (ending) => (ending?.by === 'customer' ? 'Vom Kunden beendet.' : 'Beendet.'),
  expired: 'Die Zeit ist um.',
  next: 'Diese Seite kann noch Daten des Kunden zeigen: Schließen Sie sie.',
}
