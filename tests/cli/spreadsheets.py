# Writes bomb.xlsx (twenty sheets that are one part), two.xlsx (a sheet of notes, a list), long.ods (a sentence a row) and broken.ods (one judgment is missing).
import zipfile

with zipfile.ZipFile("two.xlsx", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("xl/workbook.xml", '<workbook xmlns:r="r"><sheets><sheet name="Notes" r:id="rId1"/>'
               '<sheet name="agreement" r:id="rId2"/></sheets></workbook>')
    z.writestr("xl/_rels/workbook.xml.rels", '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/>'
               '<Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>')
    z.writestr("xl/sharedStrings.xml", "<sst>" + "".join(
        f"<si><t>{t}</t></si>" for t in ("good", "bad", "He goes.", "He go.")) + "</sst>")
    z.writestr("xl/worksheets/sheet1.xml", '<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>to do</t></is>'
               "</c></row></sheetData></worksheet>")
    z.writestr("xl/worksheets/sheet2.xml", '<worksheet><sheetData><row r="1"><c r="B1" t="s"><v>0</v></c>'
               '<c r="A1" t="s"><v>1</v></c></row><row r="4"><c r="A4" t="s"><v>3</v></c><c r="B4" t="s"><v>2</v></c></row>'
               "</sheetData></worksheet>")


with zipfile.ZipFile("bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("xl/workbook.xml", '<workbook xmlns:r="r"><sheets>' + '<sheet name="a" r:id="rId1"/>' * 20 + "</sheets></workbook>")
    z.writestr("xl/_rels/workbook.xml.rels", '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>')
    z.writestr("xl/worksheets/sheet1.xml", "<worksheet><sheetData>" + "<row><c><v>1</v></c></row>" * 100 + "</sheetData></worksheet>")


def write_ods(name, *rows):
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    body = "".join("<table:table-row>" + "".join(cell.format(t) for t in row) + "</table:table-row>" for row in rows)
    with zipfile.ZipFile(name, "w") as z:
        z.writestr("content.xml", f'<d><table:table table:name="Tabelle1">{body}</table:table></d>')


head, good = ("Nr", "Satz", "grammatisch"), ("1", "Er geht.", "WAHR")
write_ods("long.ods", head, good, ("1", "Er gehen.", "FALSCH"))
write_ods("broken.ods", head, good, ("1", "Er gehen.", ""))
