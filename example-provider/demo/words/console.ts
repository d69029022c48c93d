/** A request to the orders API: where it worked, and where it was refused or failed. */
export const REQUEST_WORDS = [
  {
    is: /^(?:GET|HEAD) \/orders$/,
    done: { en: 'Looked at the orders', de: 'Die Bestellungen angesehen' },
    not: { en: 'Tried to look at the orders', de: 'Versucht, die Bestellungen anzusehen' },
  },
  {
    is: /^PUT \/orders\/email$/,
    done: { en: 'Changed the e-mail address', de: 'Die E-Mail-Adresse geändert' },
    not: {
      en: 'Tried to change the e-mail address',
      de: 'Versucht, die E-Mail-Adresse zu ändern',
    },
  },
  {
    is: /^PATCH \/orders\//,
    done: {
      en: 'Changed the delivery note of an order',
      de: 'Den Lieferhinweis einer Bestellung geändert',
    },
    not: {
      en: 'Tried to change the delivery note of an order',
      de: 'Versucht, den Lieferhinweis einer Bestellung zu ändern',
    },
  },
]

/** Words of the directory about a customer. */
export const DIRECTORY_WORDS = {
  en: {
    number: 'Customer number',
    city: 'City',
    closed: (organisation: string) => `${organisation} has closed its accounts to support.`,
    colleague: (name: string) => `${name} works here. Operators cannot act as colleagues.`,
  },
  de: {
    number: 'Kundennummer',
    city: 'Ort',
    closed: (organisation: string) => `${organisation} hat seine Konten für den Support gesperrt.`,
    colleague: (name: string) => `${name} arbeitet hier. Niemand handelt als jemand aus dem Team.`,
  },
}
