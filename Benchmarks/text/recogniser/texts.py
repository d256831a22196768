"""What stands on the lines that are rendered: receipts, signs, dates, displays, plates, machine-readable zones, codes. Each maker takes a `random.Random`."""

import glob
import os
import string

from network import ALPHABET

KNOWN = set(ALPHABET)
DIGITS, UPPER, LOWER = string.digits, string.ascii_uppercase, string.ascii_lowercase
MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC MAI OKT DEZ FÉV AVR JUIN DÉC ENE ABR AGO DIC GEN MAG GIU LUG SET OTT'.split()
MONTHS_LONG = 'January February March April May June July August September October November December Januar Februar März Juni Juli Dezember'.split()
RECEIPT = """TOTAL SUBTOTAL SUB-TOTAL Total Cash CASH CHANGE Change TAX GST VAT MwSt. USt TVA IVA AMOUNT Amount Amt QTY Qty Price Item(s) ITEM INVOICE Invoice NO. No: Date
DATE: Time TIME: Cashier CASHIER Table Tel TEL: Fax FAX REG Receipt RECEIPT THANK YOU Thank you PLEASE COME AGAIN GOODS SOLD ARE NOT RETURNABLE Rounding ROUNDING
Adjustment Excl. Incl. Inclusive SUMME SUMME: BAR Rückgeld EC-Karte VISA MASTERCARD Kartenzahlung Steuer Netto Brutto Betrag EUR RM USD Kasse Bon Bon-Nr. Beleg
Discount DISC Member MEMBER Card CARD POS Terminal TID MID APPROVED Auth AUTH Server Guest Guests Order ORDER Counter Tax SR ZRL @ x X kg pcs PCS each Round Rounded Summary
Description Code Unit Sdn Bhd SDN BHD LTD GmbH S.A. Ltd. Inc. (M) JALAN Street ST. Road Rue Straße Str. Platz Avenue Ave. Balance Due Payment Tendered Tender Saved Loyalty Points
Total: Total(RM) Total: EUR Zu zahlen Gegeben Zurück Montant Espèces Rendu Merci Vielen Dank Gracias Importe Efectivo Cambio Totale Contanti Resto""".split()
SIGNS = """EXIT SALE OPEN CLOSED STOP PARKING HOTEL CAFE Café RESTAURANT BAR PIZZA COFFEE SHOP STORE BANK PHARMACY HOSPITAL POLICE SCHOOL STREET ROAD AVENUE NO SMOKING ENTRANCE PUSH PULL WAY OUT
TOILETS TAXI BUS TRAIN STATION AIRPORT MARKET BAKERY BOOKS MUSIC CINEMA THEATRE MUSEUM LIBRARY PARK BEACH DANGER WARNING CAUTION PRIVATE PROPERTY WELCOME FREE NEW SPECIAL OFFER TODAY ONLY
CITY CENTRE CENTER MALL FASHION STUDIO SALON HAIR NAILS BEAUTY FITNESS GYM CLUB LOUNGE GRILL SUSHI BURGER CHICKEN FISH CHIPS ICE CREAM JUICE WINE BEER COMPANY GROUP SERVICE CENTRE & AND THE OF FOR""".split()


def words_of(folder):
    """Reads the lists of words: all that the alphabet can write, in the lists' own case."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, '*.txt'))):
        lines = [w for w in open(path, encoding='utf8').read().split() if 1 < len(w) < 16 and set(w) <= KNOWN and not w.endswith("'s")]
        if len(lines) > 1000:
            found.append((os.path.basename(path), lines))
    return found


class Texts:
    """Makes texts of every kind."""

    def __init__(self, random, folder):
        self.r, found = random, words_of(folder)
        self.lists = [lines for _, lines in found]
        self.english = [lines for name, lines in found if 'english' in name]

    def some(self, letters, least, most):
        return ''.join(self.r.choices(letters, k=self.r.randint(least, most)))

    def word(self, english=0.6):
        r = self.r
        pool = r.choice(self.english if self.english and r.random() < english else self.lists)
        return r.choice(pool)

    def cased(self, word):
        x = self.r.random()
        word = word if x < 0.25 else word.upper() if x < 0.62 else word.lower() if x < 0.75 else word[:1].upper() + word[1:].lower()
        return word if set(word) <= KNOWN else word.upper().replace('SS', 'SS') if set(word.upper()) <= KNOWN else 'A'

    def price(self):
        r = self.r
        whole = str(r.choice([r.randint(0, 9), r.randint(0, 99), r.randint(0, 999), r.randint(0, 9999)]))
        x = r.random()
        if x < 0.1 and len(whole) == 4:
            whole = whole[0] + r.choice(',. ') + whole[1:]
        text = whole + r.choice('.....,,') + self.some(DIGITS, 2, 2)
        x = r.random()
        if x < 0.35:
            mark = r.choice(['RM', '$', '€', '£', 'EUR ', 'RM ', '€ ', 'USD ', 'CHF ', '$ '])
            text = mark + text
        elif x < 0.5:
            text += r.choice([' EUR', ' €', '€', ' SR', ' S', ' A', ' B', 'SR', ' T', ' %', '%', ' zł', ' Kč', ' kr', '-', ' RM'])
        return '-' + text if r.random() < 0.04 else text

    def clock(self):
        r = self.r
        hour = r.randint(0, 23)
        text = f'{hour:02}:{r.randint(0, 59):02}' if r.random() < 0.8 else f'{hour}:{r.randint(0, 59):02}'
        text += f':{r.randint(0, 59):02}' if r.random() < 0.4 else ''
        return text + (r.choice([' AM', ' PM', 'AM', 'PM', ' Uhr', 'pm', 'am']) if r.random() < 0.2 else '')

    def date(self):
        r = self.r
        d, m, y = r.randint(1, 31), r.randint(1, 12), r.randint(1990, 2035)
        short = f'{y % 100:02}'
        year = r.choice([str(y), str(y), short])
        month = r.choice(MONTHS)
        month = month if r.random() < 0.8 else month.capitalize()
        sep = r.choice(['.', '.', '/', '/', '-', ' ', '', '. '])
        x = r.random()
        if x < 0.34:
            return sep.join([f'{d:02}', f'{m:02}', year])
        if x < 0.52:
            return sep.join([str(y), f'{m:02}', f'{d:02}'])
        if x < 0.6:
            return sep.join([f'{m:02}', year])
        if x < 0.72:
            return sep.join([f'{d:02}', month, year])
        if x < 0.82:
            return sep.join([month, f'{d:02}', year])
        if x < 0.88:
            return sep.join([month, year])
        if x < 0.93:
            return f'{r.choice(MONTHS_LONG)} {d}, {y}' if r.random() < 0.5 else f'{d}. {r.choice(MONTHS_LONG)} {y}'
        return f'{d}.{m}.{year}' if r.random() < 0.5 else f'{d}/{m}/{year}'

    def code(self):
        r, x = self.r, self.r.random()
        if x < 0.3:
            return self.some(DIGITS, 3, 13)
        if x < 0.5:
            return self.some(UPPER + DIGITS, 3, 12)
        if x < 0.65:
            return self.some(UPPER, 1, 3) + self.some(DIGITS, 2, 8)
        if x < 0.85:
            return r.choice('-/. ').join(self.some(r.choice([DIGITS, UPPER, UPPER + DIGITS]), 1, 5) for _ in range(r.randint(2, 4)))
        return r.choice(['LOT ', 'L', 'Lot: ', 'NO. ', 'S/N ', 'SN:', 'REF ', '#', 'No.', 'Art. ', 'ID: ', 'P/N ']) + self.some(DIGITS + UPPER, 3, 8)

    def random_string(self):
        r = self.r
        pool = r.choice([DIGITS, UPPER + DIGITS, UPPER, LOWER, UPPER + LOWER + DIGITS, UPPER + LOWER, ALPHABET[1:95], ALPHABET[1:], ALPHABET[95:], LOWER + ALPHABET[119:]])
        return ' '.join(self.some(pool, 1, 8) for _ in range(r.randint(1, 3)))

    def address(self):
        r = self.r
        plain = lambda: ''.join(c for c in self.word().lower() if c in LOWER) or 'shop'
        site = plain() + r.choice(['.com', '.de', '.co.uk', '.fr', '.com.my', '.org', '.net', '.eu', '.it', '.pl'])
        x = r.random()
        if x < 0.5:
            return r.choice(['', '', 'e-mail: ', 'E-Mail: ', 'Email:']) + plain() + r.choice(['', '.', '_']) + r.choice([plain(), self.some(DIGITS, 1, 3)]) + '@' + site
        return r.choice(['www.', 'http://', 'https://www.', '']) + site + (('/' + plain()) if r.random() < 0.3 else '')

    def phone(self):
        r = self.r
        return r.choice(['TEL: ', 'Tel. ', 'Tel: ', 'T ', '', '', 'FAX: ', 'Ph: ']) + r.choice(['+', '0', '(0', '']) + r.choice(' -/').join(self.some(DIGITS, 2, 4) for _ in range(r.randint(2, 4)))

    def receipt(self):
        r, x = self.r, self.r.random()
        if x < 0.2:
            return self.price()
        if x < 0.3:
            return r.choice(['', 'DATE: ', 'Date:', 'DATE:', 'Date : ']) + self.date() + (' ' + self.clock() if r.random() < 0.5 else '')
        if x < 0.35:
            return self.clock()
        if x < 0.48:
            return ' '.join(r.choice(RECEIPT) for _ in range(r.randint(1, 3))) + r.choice(['', '', ':', ' :'])
        if x < 0.6:
            return ' '.join(r.choice(RECEIPT) for _ in range(r.randint(1, 2))) + r.choice([' ', ': ', ' : ', ':', '  ']) + r.choice([self.price, self.code, self.price])()
        if x < 0.74:
            words = ' '.join(self.word(0.8) for _ in range(r.randint(1, 4)))
            words = words.upper() if r.random() < 0.75 else words.title() if r.random() < 0.5 else words
            return words if set(words) <= KNOWN else 'ITEM'
        if x < 0.82:
            return (self.some(DIGITS, 1, 2) + r.choice([' x ', ' X ', 'x ', ' ', '@', ' @ ', ' PCS ', '* '])) + r.choice([self.price(), self.word().upper(), self.word().upper() + ' ' + self.price()])
        if x < 0.87:
            return self.code()
        if x < 0.9:
            left, right = r.choice(['()', '()', '()', '[]', '""', '**', '##'])
            inner = r.choice([lambda: r.choice(RECEIPT), self.price, self.code, self.date, self.clock, lambda: self.word(0.8).upper(), lambda: self.some(UPPER, 1, 3)])()
            before = r.choice(['', '', r.choice(RECEIPT) + ' ', r.choice(RECEIPT), self.word(0.8).upper() + ' '])
            text = before + left + inner + right + r.choice(['', '', '', ':', ' :', ' ' + self.price()])
            return text if set(text) <= KNOWN else '(RM)'
        if x < 0.93:
            return self.address()
        if x < 0.96:
            return self.phone()
        if x < 0.98:
            return r.choice(['GST ID : ', 'GST No: ', 'INV NO: ', 'Invoice No : ', 'VAT Reg. No. ', 'USt-IdNr. DE', 'No ', '(GST NO:', 'Doc No. : ', 'Table: ', 'Bill#: ', '(@6%) ', 'GST @6% ', 'SR@6% ', 'Bon-Nr. ']) + self.code()
        return r.choice(['** RE-PRINT **', '*** COPY ***', '--------', '================', '(@6%)', '(0%)', '********', '<DUPLICATE>', '& CO.', 'No.1', '"A"', "Men's", '100%', '50% OFF', '#1', 'A/C', 'C/O'])

    def sign(self):
        r, x = self.r, self.r.random()
        if x < 0.55:
            return self.cased(self.word(0.7))
        if x < 0.7:
            return self.cased(r.choice(SIGNS))
        if x < 0.8:
            return ' '.join(self.cased(r.choice([self.word(0.7), r.choice(SIGNS)])) for _ in range(2))
        if x < 0.86:
            return r.choice([str(r.randint(0, 99)), str(r.randint(0, 999)), str(r.randint(1800, 2030)), f'{r.randint(1, 99)}%', self.price(), self.clock(), f'No. {r.randint(1, 99)}', f'{r.randint(1, 12)}:00{r.choice(["am", "pm"])}'])
        if x < 0.9:
            return self.cased(self.word()) + r.choice(['!', '?', '.', ',', ':', "'s", "'S", '"', ')', ';', '...', '-', '®'[:0]])
        if x < 0.92:
            return r.choice('("\'@#&*-.') + self.cased(self.word())
        if x < 0.95:
            return self.random_string()
        if x < 0.97:
            return self.address()
        return r.choice(['.', '-', '&', "'", '/']).join(self.some(UPPER, 1, 4) for _ in range(r.randint(2, 3)))

    def expiry(self):
        r, x = self.r, self.r.random()
        if x < 0.45:
            return self.date()
        lead = r.choice(['EXP ', 'EXP', 'EXP:', 'EXP. ', 'BEST BY ', 'Best By ', 'BEST BEFORE ', 'USE BY ', 'BB ', 'BBE ', 'MHD ', 'MHD:', 'E', 'E ', 'PROD ', 'MFG ', 'MFD:', 'PKD ', 'L', 'LOT ', 'BEST IF USED BY ', 'SELL BY ', 'DLC ', 'DLUO ', 'CAD ', 'SCAD. ', 'Mindestens haltbar bis: ', 'Best before: ', 'VAL: ', 'TMC ', 'ED ', 'PD '])
        if x < 0.7:
            return lead + self.date() + (r.choice([' ', '  ', '   ']) + self.clock() if r.random() < 0.25 else '')
        if x < 0.8:
            return self.date() + r.choice([' ', '  ', '']) + r.choice([self.clock(), self.some(UPPER + DIGITS, 1, 6)])
        if x < 0.9:
            return self.some(UPPER, 0, 2) + self.some(DIGITS, 2, 8) + self.some(UPPER, 0, 2) + r.choice(['', ' ' + self.clock()])
        return r.choice([self.code(), self.clock(), self.date() + ' ' + self.date(), lead.strip()])

    def display(self):
        r, x = self.r, self.r.random()
        if x < 0.72:
            return str(r.choice([r.randint(0, 9), r.randint(0, 99), r.randint(0, 999), r.randint(0, 999), r.randint(0, 9999)])) + '.' + self.some(DIGITS, 1, 3)
        if x < 0.87:
            return self.some(DIGITS, 1, 8)
        return f'{r.randint(0, 23):02}:{r.randint(0, 59):02}' if x < 0.95 else '-' + self.some(DIGITS, 1, 3) + '.' + self.some(DIGITS, 1, 2)

    def plate(self):
        r = self.r
        shape = r.choice(['A-AA 1111', 'AA-A 111', 'AAA-AA 11', 'AA AA 1111', 'AA-111-AA', 'AA 111 AA', 'AA11 AAA', 'A111 AAA', '1111 AAA', 'AAA 1111', 'AAA-1111', 'AAA 111', 'AAA1A11', '11-AAA-1', '1-AAA-111', 'AA-11-11', '11-11-AA', '1AA 1111',
                          'AA 11111', 'AAA 11A', 'AA 1111 A', 'A 111 AA', 'A111AA', 'A 111 AA 11', 'AAA', '1111', 'AA', '111 11', 'AAA11', 'AA111', 'AA 111', 'AAA·1111', 'AA·AA 111', 'AA 11 AA 1111', 'AA11AA1111', '111-AAA', '111 AAA', '1AAA111', 'AA1111', 'A-11-AAA', 'AA·111·AA', 'A11111', 'AA 111-AA', '11 AA 11', '1A11111', 'AAA 111 A'])
        if r.random() < 0.25:
            shape = shape.replace(' ', '').replace('-', '').replace('·', '')
        elif r.random() < 0.2:
            shape = shape.replace('-', ' ').replace('·', ' ')
        return ''.join(r.choice(UPPER) if c == 'A' else r.choice(DIGITS) if c == '1' else c for c in shape)

    def zone(self):
        """A line of a machine-readable zone (ICAO 9303), its check digits right."""
        r, x = self.r, self.r.random()
        check = lambda t: str(sum((0 if c == '<' else int(c, 36)) * (7, 3, 1)[i % 3] for i, c in enumerate(t)) % 10)
        with_check = lambda t: t + check(t)
        day = lambda: f'{r.randint(0, 99):02}{r.randint(1, 12):02}{r.randint(1, 28):02}'
        land = r.choice(['D<<', 'FRA', 'GBR', 'ITA', 'ESP', 'POL', 'NLD', 'USA', 'UTO', 'CHE', 'AUT', 'SWE', 'CZE', 'HUN', 'ROU', 'RUS', 'CHN', 'TUR', 'UKR', self.some(UPPER, 3, 3)])
        plain = lambda: ''.join(c for c in self.word().upper() if c in UPPER) or 'ERIKA'
        name = '<'.join(plain() for _ in range(r.choice([1, 1, 1, 2]))) + '<<' + '<'.join(plain() for _ in range(r.choice([1, 1, 2, 3])))
        number = self.some(UPPER + DIGITS if r.random() < 0.6 else DIGITS, 7, 9)
        if x < 0.22:
            return (r.choice(['P<', 'PO', 'PD', 'V<', 'P' + r.choice(UPPER)]) + land + name).ljust(44, '<')[:44]
        if x < 0.5:
            a, b, c = with_check(number.ljust(9, '<')), with_check(day()), with_check(day())
            rest = with_check(self.some(UPPER + DIGITS, 0, 14).ljust(14, '<')) if r.random() < 0.4 else '<<<<<<<<<<<<<<' + r.choice('0<')
            return a + land + b + r.choice('MF<') + c + rest + check(a + b + c + rest)
        if x < 0.62:
            return (r.choice(['I<', 'ID', 'AC', 'C<', 'IR']) + land + with_check(number.ljust(9, '<')) + self.some(DIGITS, 0, 8)).ljust(30, '<')[:30]
        if x < 0.74:
            return with_check(day()) + r.choice('MF<') + with_check(day()) + land + '<' * 11 + r.choice(DIGITS)
        if x < 0.84:
            return name.ljust(30, '<')[:30]
        return (r.choice(['I<', 'ID', 'P<']) + land + name).ljust(36, '<')[:36] if x < 0.92 else with_check(number.ljust(9, '<')) + land + with_check(day()) + r.choice('MF<') + with_check(day()) + '<' * 7 + r.choice(DIGITS)
