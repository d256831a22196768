// The formats of a value in a text field, while it is edited and afterwards. The value itself has no spaces between groups, and an amount
// has a decimal point. Each format has `show(value, editing)`, and `read(shown)`, which returns `{ value, problem }`; `problem` is the key
// of a text, or undefined.

/** Replaces control characters of a code by their symbols in Unicode, so that they are visible and not lost. */
const seen = (text) => text.replace(/[\u0000-\u001f\u007f]/g, (c) => c === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + c.charCodeAt(0)));
const meant = (text) => text.replace(/[\u2400-\u241f\u2421]/g, (c) => c === '\u2421' ? '\u007f' : String.fromCharCode(c.charCodeAt(0) - 0x2400));

/** One line without formatting. */
export const plain = { show: seen, read: (shown) => ({ value: meant(shown) }) };

/** Several lines without formatting. */
export const lines = {
  show: (value) => value.split(/\r\n|\r|\n/).map((one) => one.split('\t').map(seen).join('\t')).join('\n'),
  read: (shown) => ({ value: shown.split('\n').map(meant).join('\n') }),
};

/**
 * The format in groups: `sizes` is "4" for groups of four, or "3 3 4" for these, of which the last is repeated. The `separator`
 * between them is not part of the value.
 */
export function groups(sizes, separator = ' ') {
  const list = sizes.split(/[\s,]+/).map(Number).filter((n) => n > 0);
  const show = (value) => {
    const rest = [...value];
    const parts = [];
    for (let i = 0; rest.length; i += 1) parts.push(rest.splice(0, list[Math.min(i, list.length - 1)] ?? rest.length).join(''));
    return seen(parts.join(separator));
  };
  return { separator, show, read: (shown) => ({ value: meant(shown.split(separator).join('')) }) };
}

/**
 * The format of an amount in a currency (ISO 4217) in a language. While it is edited it has neither groups nor a symbol. An
 * ambiguous input, such as a decimal point in a language that separates thousands by it, is a problem.
 */
export function money(currency, language) {
  const form = new Intl.NumberFormat(language, { style: 'currency', currency });
  const part = (type) => new Intl.NumberFormat(language, { useGrouping: true, minimumFractionDigits: 1 }).formatToParts(-1234567.5).find((one) => one.type === type)?.value ?? '';
  const [decimal, group] = [part('decimal'), part('group')];
  const digits = form.resolvedOptions().maximumFractionDigits;
  const example = new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(1234.5);
  return {
    example,
    show(value, editing) {
      if (!/^-?\d+(\.\d+)?$/.test(value)) return value;
      if (editing) return value.replace('.', decimal);
      return form.format(/** @type {any} */ (value));
    },
    read(shown) {
      // Spaces of any kind, the currency symbol and its code are notation, not part of the value.
      let text = shown.replace(/[\s\u00a0\u202f]/g, '').replace(/[\u2212\u2013]/g, '-').replace(new RegExp(`^(-?)(?:${currency}|\\p{Sc})|(?:${currency}|\\p{Sc})$`, 'giu'), '$1');
      if (!text) return { value: '' };
      const [whole, share, more] = text.split(decimal);
      const bare = whole.replace(/^-/, '');
      const parts = group.trim() ? bare.split(group) : [bare];
      const grouped = parts.length === 1 || (parts[0].length <= 3 && parts[0] && parts.slice(1).every((one) => one.length === 3));
      if (more !== undefined || !grouped || !parts.every((one) => /^\d*$/.test(one)) || !/^\d*$/.test(share ?? '') || (share ?? '').length > digits || !(bare || share)) return { value: shown, problem: 'field.amount' };
      const number = (parts.join('') || '0').replace(/^0+(?=\d)/, '');
      return { value: `${whole.startsWith('-') ? '-' : ''}${number}${digits ? `.${(share ?? '').padEnd(digits, '0')}` : ''}` };
    },
  };
}

const KINDS = { '\\d': 'digits', '[0-9]': 'digits', '[A-Z]': 'capitals', '[A-Z0-9]': 'signs', '[0-9A-Z]': 'signs' };

/**
 * The kind and the number of characters that a simple expression requires, as `{ kind, from, to }`; null for other expressions.
 * @param {string} pattern
 */
export function wanted(pattern) {
  const match = /^(\\d|\[[0-9A-Z-]+\])\{(\d+)(?:,(\d+))?\}$/.exec(pattern);
  const kind = match ? KINDS[match[1]] : undefined;
  return match && kind ? { kind, from: match[2], to: match[3] ?? match[2] } : null;
}
