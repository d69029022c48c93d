// German texts for the browser kit, which has the English ones.
import { language } from './words.js'

const AGAIN = 'Beginnen Sie in der Support-Konsole noch einmal.'

/** @type {import('oidc-provider-impersonation-browser').ImpersonationTexts} */
const GERMAN_ERRORS = {
  already_acting: `Ein anderer Tab dieses Browsers handelt in dieser Anwendung als Kunde. Beenden Sie es dort, oder schließen Sie den Tab. ${AGAIN}`,
  consent_required:
    'Der Anmeldedienst will Sie um Zustimmung bitten, bevor diese Anwendung für Sie handeln darf. Sagen Sie es dem Team, das die Anwendung betreibt.',
  denied: 'Die Regeln des Anmeldedienstes erlauben nicht, dass Sie als dieser Kunde handeln.',
  ended: `Sie handeln nicht mehr als der Kunde, denn es wurde beendet. ${AGAIN}`,
  expired: `Sie handeln nicht mehr als der Kunde, denn die Zeit ist um. ${AGAIN}`,
  foreign_answer: `Der Anmeldedienst hat auf eine andere Anfrage geantwortet als die dieses Tabs. Es wurde nichts begonnen. ${AGAIN}`,
  framed:
    'Diese Seite steckt in einer anderen, und dort können Sie nicht als Kunde handeln. Öffnen Sie die Anwendung aus der Support-Konsole in einem eigenen Tab.',
  interrupted: `Das Handeln hat nicht begonnen, weil der Weg über den Anmeldedienst unterbrochen wurde. ${AGAIN}`,
  left: ({ userName, ticket, isReload }) =>
    `Sie haben die Seite ${isReload ? 'neu geladen' : 'verlassen'}, auf der Sie als ${userName} gehandelt haben${ticket ? `, für Ticket ${ticket}` : ''}. Damit ist es beendet.`,
  link_expired: `Der Link wurde zu spät geöffnet. ${AGAIN}`,
  malformed: `Der Link ist beschädigt. Es wurde nichts begonnen. ${AGAIN}`,
  misconfigured:
    'Der Anmeldedienst nimmt die Anfrage dieser Anwendung nicht an. Sagen Sie es dem Team, das sie betreibt.',
  not_signed_in: `Sie sind in diesem Browser nicht beim Anmeldedienst angemeldet. Melden Sie sich in der Support-Konsole an. ${AGAIN}`,
  other_operator: `Der Link ist für eine andere Person als die, die in diesem Browser angemeldet ist. Melden Sie sich in der Support-Konsole selbst an. ${AGAIN}`,
  refused: `Der Anmeldedienst hat abgelehnt. Der Link wurde schon benutzt, ist zu alt, oder ist für eine andere Person oder Anwendung. ${AGAIN}`,
  storage_blocked: `Der Browser lässt diese Seite nichts speichern. Erlauben Sie Cookies und Websitedaten für diese Seite. ${AGAIN}`,
  unreachable: `Der Anmeldedienst hat nicht geantwortet. Warten Sie einen Moment. ${AGAIN}`,
}

/** @type {Partial<import('oidc-provider-impersonation-browser').ImpersonationBannerTexts>} */
const GERMAN_BANNER = {
  who: ({ actorName, userName }) => `${actorName} handelt als ${userName}`,
  title: ({ userName, title }) => `Als ${userName} · ${title}`,
  nameless: '(ohne Namen)',
  ticket: ({ ticket }) => `Ticket ${ticket}`,
  lookOnly: 'Nur ansehen',
  lookAndChange: 'Ansehen und ändern',
  left: ({ minutes, seconds }) => `noch ${minutes}:${String(seconds).padStart(2, '0')}`,
  lastSeconds: ({ seconds }) => `Nur noch ${seconds} s`,
  announcement: ({ seconds, userName }) => `Noch ${seconds} Sekunden als ${userName}`,
  end: 'Beenden',
  ending: 'Wird beendet …',
  endFailed:
    'Nicht beendet: Der Anmeldedienst hat nicht geantwortet. Sie handeln weiter. Prüfen Sie die Verbindung, und klicken Sie noch einmal auf „Beenden“.',
}

// The rule of this example lets a person look at emergencies, and at nothing else.
export const bannerTexts =
  language === 'de'
    ? { ...GERMAN_BANNER, toBeReviewed: 'Ohne Freigabe, wird hinterher angesehen' }
    : { toBeReviewed: 'Without approval, will be reviewed' }

export const errorTexts = language === 'de' ? GERMAN_ERRORS : {}
