// Formats recent times by how long ago they were, and earlier ones by their dates.

const DAY = 86_400_000;
const capital = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1);
const midnight = (date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());

/** Formats a time as "Today, 14:05", "Yesterday, 09:30" or "3 days ago"; from a week ago on as its date. */
export function spokenTime(date, language = document.documentElement.lang, now = new Date()) {
  const days = Math.round((midnight(now) - midnight(date)) / DAY);
  if (days < 0 || days > 6) return date.toLocaleDateString(language, { dateStyle: 'medium' });
  const day = capital(new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-days, 'day'));
  return days > 1 ? day : `${day}, ${date.toLocaleTimeString(language, { hour: 'numeric', minute: '2-digit' })}`;
}

/** Formats a month as "This month" or "Last month", else with its year. */
export function spokenMonth(date, language = document.documentElement.lang, now = new Date()) {
  const months = (now.getFullYear() - date.getFullYear()) * 12 + now.getMonth() - date.getMonth();
  return months === 0 || months === 1 ? capital(new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-months, 'month')) : date.toLocaleDateString(language, { month: 'long', year: 'numeric' });
}
