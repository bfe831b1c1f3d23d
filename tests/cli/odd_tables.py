#!/usr/bin/env python3
"""Damaged and odd tables: each is read rightly or refused with its row; none is scored wrongly.

    tests/cli/odd_tables.py build/release/minpair .          # 'run' needs a model, a tiny one of the source tree
    tests/cli/odd_tables.py build/release/minpair . --keep DIR
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

REFUSED = "refused"
TABLES = []  # name, bytes, what is expected: pairs, or REFUSED with the row (None: any or no row)


def add(name, content, expected, row=None):
    data = content if isinstance(content, bytes) else content.encode()
    TABLES.append((f"{len(TABLES):03}-{name}", data, expected, row))


PAIRS = {
    "de": [("Der Hund bellt.", "Der Hund bellen."), ("Die Hunde bellen.", "Die Hunde bellt.")],
    "en": [("The dog barks.", "The dog bark."), ("The dogs bark.", "The dogs barks.")],
    "fr": [("Le chien dort.", "Le chien dorment."), ("Les chiens dorment.", "Les chiens dort.")],
    "es": [("El perro duerme.", "El perro duermen."), ("Los perros duermen.", "Los perros duerme.")],
    "ru": [("Собака лает.", "Собака лают."), ("Собаки лают.", "Собаки лает.")],
    "he": [("הכלב ישן.", "הכלב ישנים."), ("הכלבים ישנים.", "הכלבים ישן.")],
    "tr": [("Ben uyuyorum.", "Ben uyuyoruz."), ("Biz uyuyoruz.", "Biz uyuyorum.")],
    "ar": [("ينام الولد الآن.", "ينامون الولد الآن."), ("نام الأولاد أمس.", "ناموا الأولاد أمس.")],
    "zh": [("老师买了一本书。", "老师买了一书本。"), ("他走了。", "走他了。")],
    "hi": [("लड़का सोता है।", "लड़का सोती है।"), ("लड़की सोती है।", "लड़की सोता है।")],
}
HEADERS = {
    "de": [("Satz", "Stern"), ("Richtig", "Falsch"), ("GRAMMATISCH", "UNGRAMMATISCH"), ("Satz A", "Satz B")],
    "en": [("Sentence", "Foil"), ("gram", "ungram"), ("Good", "Bad"), ("target sentence", "foil sentence")],
    "fr": [("phrase", "leurre"), ("Correcte", "Incorrecte")],
    "es": [("Oración correcta", "Oración incorrecta"), ("frase", "error")],
    "ru": [("Правильно", "Неправильно"), ("Предложение", "Ошибка")],
    "he": [("נכון", "שגוי"), ("משפט", "טעות")],
    "tr": [("doğru", "yanlış"), ("cümle", "hata")],
    "ar": [("صحيح", "خطأ"), ("الجملة", "المقابل")],
    "zh": [("正确", "错误"), ("句子", "对照")],
    "hi": [("सही", "गलत"), ("वाक्य", "त्रुटि")],
}


def table(rows, separator="\t", end="\n"):
    def cell(text):
        return '"' + text.replace('"', '""') + '"' if separator != "\t" and (separator in text or '"' in text) else text
    return "".join(separator.join(cell(c) for c in row) + end for row in rows)


# Headers in ten languages: known ones are read, the others are asked about, and none is a pair.
for language, headers in HEADERS.items():
    for header in headers:
        for extension, separator in (("tsv", "\t"), ("csv", ",")):
            add(f"header-{language}.{extension}", table([header, *PAIRS[language]], separator), (REFUSED, PAIRS[language]), 1)
for language, pairs in PAIRS.items():  # without one
    add(f"bare-{language}.tsv", table(pairs), pairs)

# Missing values, errors of spreadsheets, numbers, dates, judgments where a sentence belongs.
PAIR = PAIRS["en"]
for value in ("", " ", "NA", "N/A", "#N/A", "NaN", "nan", "None", "null", "<NA>", "#NV", "-"):
    add("missing-bad.csv", table([("good", "bad"), PAIR[0], (PAIR[1][0], value)], ","), REFUSED, 3)
    add("missing-good.tsv", table([("good", "bad"), PAIR[0], (value, PAIR[1][1])]), REFUSED, 3)
for value in ("#REF!", "#BEZUG!", "#DIV/0!", "#NAME?", "Err:502", "=A2&\" bark.\"", "=CONCAT(A1;B1)", "12", "1,5", "2024-01-05",
              "05.01.2024", "5-Jan", "12:30:00", "TRUE", "FALSE", "WAHR", "1", "0", "yes", "50 %", "*", "??"):
    add("no-text.csv", table([("good", "bad"), PAIR[0], (PAIR[1][0], value)], ";"), REFUSED, 3)

# Shifted columns.
COLUMNS = ("item", "good", "bad", "condition", "language")
RIGHT = [("1", *PAIR[0], "singular", "en"), ("2", *PAIR[1], "plural", "en")]
add("straight.csv", table([COLUMNS, *RIGHT], ","), PAIR)
for shift in (-2, -1, 1, 2):
    moved = RIGHT[1][-shift:] + RIGHT[1][:-shift]
    for extension, separator in (("csv", ","), ("tsv", "\t")):
        add(f"shifted.{extension}", table([COLUMNS, RIGHT[0], moved], separator), REFUSED, 3)
add("swapped.csv", table([COLUMNS, RIGHT[0], ("2", PAIR[1][0], "plural", PAIR[1][1], "en")], ","), REFUSED, 3)
add("no-cell.csv", table([COLUMNS, RIGHT[0], RIGHT[1][:4]], ","), REFUSED, 3)
add("one-more.csv", table([COLUMNS, RIGHT[0], (*RIGHT[1], "x")], ","), REFUSED, 3)
add("context.csv", table([("good", "bad", "context"), (PAIR[0][1], "Last night it rained a lot.", "")], ","), REFUSED, 2)

# Merged cells, as they are exported: only the first row has the value.
for column in (0, 3, 4):
    second = list(RIGHT[1])
    second[column] = ""
    add("merged.csv", table([COLUMNS, RIGHT[0], second], ","), REFUSED, 3)
add("merged-test.csv", table([("test", "good", "bad"), ("agr", *PAIR[0]), ("", *PAIR[1])], ","), REFUSED, 3)

# Delimiters.
add("bars.csv", table([("good", "bad"), *PAIR], "|"), REFUSED)
add("spaces.tsv", "".join(f"{a}    {b}\n" for a, b in PAIR), REFUSED)
add("tabs.csv", table([("good", "bad"), *PAIR]), PAIR)
add("semicolons.tsv", table([("good", "bad"), *PAIR], ";"), PAIR)
add("semicolons.csv", table([("good", "bad"), *PAIR], ";"), PAIR)
add("mixed.csv", table([("good", "bad"), PAIR[0]], ";") + table(PAIR[1:], ","), REFUSED, 3)
COMMAS = [("Well, it barks.", "Well, it bark."), PAIR[1]]
add("commas.csv", table([("good", "bad"), *COMMAS], ","), COMMAS)
add("commas-unquoted.csv", "good,bad\nWell, it barks.,Well, it bark.\n", REFUSED, 2)
add("commas.tsv", table(COMMAS), COMMAS)
add("quotes.tsv", table([('"No," he says.', '"No," he say.'), PAIR[1]]), [('"No," he says.', '"No," he say.'), PAIR[1]])
add("open-quote.csv", 'good,bad\n"The dog barks.,The dog bark.\nThe dogs bark.,The dogs barks.\n', REFUSED)
add("sep.csv", "sep=;\n" + table([("good", "bad"), *PAIR], ";"), PAIR)
add("trailing.csv", "good,bad,,\n" + "".join(f"{a},{b},,\n" for a, b in PAIR), PAIR)
add("trailing.tsv", "".join(f"{a}\t{b}\t\n" for a, b in PAIR), REFUSED)

# Encodings and ends of lines.
GERMAN = [("Die Bäume blühen.", "Die Bäume blüht."), PAIRS["de"][0]]
text = table([("good", "bad"), *GERMAN], ";")
for name, encoding in (("latin1", "latin-1"), ("cp1252", "cp1252"), ("utf16", "utf-16"), ("utf16le", "utf-16-le"), ("utf16be", "utf-16-be"),
                       ("mac", "mac-roman"), ("utf32", "utf-32")):
    add(f"{name}.csv", text.encode(encoding), REFUSED)
    add(f"{name}.tsv", table(GERMAN).encode(encoding), REFUSED)
for language in ("de", "he", "zh"):
    add("mark.tsv", b"\xef\xbb\xbf" + table([("good", "bad"), *PAIRS[language]]).encode(), PAIRS[language])
    add("mark-bare.tsv", b"\xef\xbb\xbf" + table(PAIRS[language]).encode(), PAIRS[language])
add("twice.csv", text.encode().decode("latin-1").encode(), REFUSED, 2)
add("twice1252.csv", table([("good", "bad"), ("Die Bäume – sie blühen.", "Die Bäume – sie blüht.")]).encode().decode("cp1252").encode(), REFUSED, 2)
add("replaced.csv", text.replace("ä", "\ufffd"), REFUSED, 2)
add("zero.csv", text.replace("ü", "\0"), REFUSED, 2)
add("windows.csv", table([("good", "bad"), *GERMAN], ";", "\r\n"), GERMAN)
add("mac-ends.csv", table([("good", "bad"), *GERMAN], ";", "\r"), REFUSED)
add("no-last-end.tsv", table(GERMAN)[:-1], GERMAN)

# Judgments in front of sentences.
for mark in ("*", "* ", "?", "??", "#", "*?", "%"):
    add("mark-bad.tsv", table([PAIR[0], (PAIR[1][0], mark + PAIR[1][1])]), PAIR)
    add("mark-good.tsv", table([PAIR[0], (mark + PAIR[1][0], PAIR[1][1])]), REFUSED, 2)
    add("mark-good.csv", table([("good", "bad"), PAIR[0], (mark + PAIR[1][0], PAIR[1][1])], ","), REFUSED, 3)
LONG = [("1", PAIR[0][0]), ("1", "*" + PAIR[0][1]), ("2", PAIR[1][0]), ("2", "*" + PAIR[1][1])]
add("stars.csv", table([("item", "sentence"), *LONG], ","), PAIR)
add("doubt.csv", table([("item", "sentence"), *LONG[:3], ("2", "?" + PAIR[1][1])], ","), REFUSED, 5)
add("no-star.csv", table([("item", "sentence"), *LONG[:3], ("2", PAIR[1][1])], ","), REFUSED)
add("long-missing.csv", table([("item", "sentence"), *LONG[:3], ("2", "*")], ","), REFUSED, 5)

# What stands below a table, and between its rows.
for note in (("Total", ""), ("Sum", "2"), ("Note: judged by two people.", ""), ("2", "2"), ("Source", "Anna"), ("Mean rating", "4.5")):
    for extension, separator in (("csv", ","), ("tsv", "\t")):
        add(f"note.{extension}", table([("good", "bad"), *PAIR, note], separator), REFUSED, 4)
add("again.csv", table([("good", "bad"), PAIR[0], ("good", "bad"), PAIR[1]], ","), PAIR)
add("blank-rows.csv", "good,bad\n\n" + table(PAIR[:1], ",") + ",\n\n" + table(PAIR[1:], ","), PAIR)
add("titles.csv", "My first list,\n" + table([("good", "bad"), *PAIR], ","), PAIR)

# Columns without names.
for rows in ([(*PAIR[0], "singular", "1"), (*PAIR[1], "plural", "2")], [(*PAIR[0], "singular"), (*PAIR[1], "plural")],
             [("1", *PAIR[0], "sg"), ("2", *PAIR[1], "pl")], [("agr", "singular noun", *PAIR[0]), ("agr", "plural noun", *PAIR[1])]):
    for extension, separator in (("csv", ","), ("tsv", "\t"), ("txt", "\t")):
        add(f"nameless.{extension}", table(rows, separator), REFUSED)
for label in ("en", "sg", "case", "pl"):
    add(f"bert-{label}.tsv", table([("agr", label, *PAIR[0]), ("agr", label, *PAIR[1])]), PAIR)

# Labels that fit no column.
for language in ("German", "deutsch", "1", "sg_pl", "EN US", "NA"):
    add("language.csv", table([("good", "bad", "language"), (*PAIR[0], "en"), (*PAIR[1], language)], ","), REFUSED, 3)
for label in ("#REF!", "NaN", "2-Jan", "The dog barks a lot.", "=A1"):
    add("label.csv", table([("good", "bad", "condition"), (*PAIR[0], "sg"), (*PAIR[1], label)], ","), REFUSED, 3)

# Headers that are none.
add("double.csv", table([("good", "bad", "bad"), (*PAIR[0], "x")], ","), REFUSED)
add("two-good.csv", table([("good", "Good"), PAIR[0]], ","), REFUSED)
add("only-header.csv", "good,bad\n", REFUSED)
add("empty.csv", "", REFUSED)
add("only-mark.tsv", b"\xef\xbb\xbf", REFUSED)
add("same.csv", table([("good", "bad"), PAIR[0], (PAIR[1][0], PAIR[1][0])], ","), REFUSED, 3)


def workbook(rows):
    """Rows of cells: a text, or XML of its own."""
    def cell(place, value):
        return value.format(place) if value.startswith("<c") else f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    body = "".join(f'<row r="{r}">' + "".join(cell(f"{'ABCDEF'[c]}{r}", v) for c, v in enumerate(row)) + "</row>" for r, row in enumerate(rows, 1))
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w") as z:
            z.writestr("xl/workbook.xml", '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>')
            z.writestr("xl/_rels/workbook.xml.rels", '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>')
            z.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{body}</sheetData></worksheet>")
        file.seek(0)
        return file.read()


add("list.xlsx", workbook([("good", "bad"), *PAIR]), PAIR)
for value in ('<c r="{}"><v>12</v></c>', '<c r="{}" t="e"><v>#N/A</v></c>', '<c r="{}" t="e"><v>#REF!</v></c>', '<c r="{}" t="b"><v>1</v></c>',
              '<c r="{}"><f>A1</f></c>', '<c r="{}"/>', '<c r="{}"><v>45296</v></c>', '<c r="{}" t="str"><v>NA</v></c>'):
    add("cell.xlsx", workbook([("good", "bad"), PAIR[0], (PAIR[1][0], value)]), REFUSED, 3)
add("unknown.xlsx", workbook([("Satz", "Stern"), *PAIR]), REFUSED)


def call(*words, cwd):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)


def pairs_in(lines):
    return [tuple(s["text"] for s in json.loads(line)["sentences"]) for line in lines.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("source")
    parser.add_argument("--keep")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    model = str(pathlib.Path(options.source).resolve() / "tests/model/golden/byt5")
    folder = pathlib.Path(options.keep or tempfile.mkdtemp())
    folder.mkdir(exist_ok=True)
    wrong, refused = [], 0
    for name, data, expected, row in TABLES:
        (folder / name).write_bytes(data)
        converted = call(program, "convert", "--quiet", name, "-", cwd=folder)
        linted = call(program, "lint", name, cwd=folder)
        ran = call(program, "run", "-q", "-s", name, "-m", model, "-o", name + ".db", cwd=folder)
        said = converted.stderr.strip()
        codes = {converted.returncode, linted.returncode, ran.returncode}
        if converted.returncode == 0:
            read = pairs_in(converted.stdout)
            right = expected[1] if isinstance(expected, tuple) else expected
            if read != right:
                wrong.append((name, f"read as {read}"))
            elif codes != {0}:
                wrong.append((name, f"convert reads it, but not all do: {linted.stderr} {ran.stderr}"))
            continue
        refused += 1
        if isinstance(expected, list):
            wrong.append((name, f"refused: {said}"))
        elif codes & {0} or converted.returncode not in (1, 2):
            wrong.append((name, f"convert {converted.returncode}, lint {linted.returncode}, run {ran.returncode}: {said}"))
        elif row and f"{name}:{row}" not in said:
            wrong.append((name, f"not with row {row}: {said}"))
        elif "\n  " not in said and ":" not in said:
            wrong.append((name, f"nothing to do next: {said}"))
    for name, what in wrong:
        print(f"{name}: {what}")
    print(f"{len(TABLES)} tables: {len(TABLES) - refused} read, {refused} refused, {len(wrong)} wrongly")
    sys.exit(bool(wrong))


main()
