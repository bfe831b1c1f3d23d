// Names that were made to be obeyed, and where they would be.

#include "base/outgoing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace minpair {

TEST(Outgoing, ATerminalObeysNothing) {
  const std::string window = "\x1b]0;owned\x07red", turned = "a\u202Eb\u2066c", c1 = "\u009B31m";
  EXPECT_EQ(outgoing(window, Medium::name), "\uFFFD]0;owned\uFFFDred");
  EXPECT_EQ(outgoing(turned, Medium::lines), "a\uFFFDb\uFFFDc");
  EXPECT_EQ(outgoing(c1, Medium::lines), "\uFFFD31m");
  EXPECT_EQ(outgoing("\x9b"
                     "31m",
                     Medium::lines),
            "\uFFFD31m");  // not UTF-8
  EXPECT_EQ(outgoing("a\nb\tc\rd", Medium::name), "a b c d");
  EXPECT_EQ(outgoing("a\nb\tc\rd", Medium::lines), "a\nb\tc d");
  EXPECT_EQ(outgoing("Grüße, שלום, 你好", Medium::name), "Grüße, שלום, 你好");
}

TEST(Outgoing, LatexRunsNoName) {
  EXPECT_EQ(outgoing("m\n\\input{x}^^4d%", Medium::latex),
            "m \\textbackslash{}input\\{x\\}\\textasciicircum{}\\textasciicircum{}4d\\%");
  EXPECT_EQ(outgoing("a\x1b", Medium::latex), "a?");
  EXPECT_EQ(outgoing("-1 – 2", Medium::latex), "$-$1 -- 2");
}

TEST(Outgoing, SpreadsheetsComputeNothing) {
  EXPECT_EQ(outgoing("=HYPERLINK(\"x\",A1)", Medium::csv), "\"'=HYPERLINK(\"\"x\"\",A1)\"");
  EXPECT_EQ(outgoing("@SUM(1)", Medium::csv), "'@SUM(1)");
  EXPECT_EQ(outgoing("-1+cmd|' /C x'!A0", Medium::tsv), "'-1+cmd|' /C x'!A0");
  for (const char* number : {"-1.5e-7", "+3", "-inf", "-", "0"})
    EXPECT_EQ(outgoing(number, Medium::csv), number);
  EXPECT_EQ(outgoing("a\tb", Medium::tsv), "\"a\tb\"");
  EXPECT_EQ(outgoing("a\tb", Medium::csv), "a\tb");
}

TEST(Outgoing, MarkdownAndHtmlStayText) {
  EXPECT_EQ(outgoing("a|b\n<script>*", Medium::markdown), "a\\|b \\<script>\\*");
  EXPECT_EQ(outgoing("<b onclick=\"x\">&'", Medium::html),
            "&lt;b onclick=&quot;x&quot;&gt;&amp;&#39;");
}

TEST(Outgoing, FilesStayInTheirFolder) {
  EXPECT_EQ(outgoing("../../x", Medium::file_name), "_._.._x");
  EXPECT_EQ(outgoing(".hidden", Medium::file_name), "_hidden");
  EXPECT_EQ(outgoing("a\nb\x1b", Medium::file_name), "a b_");
  const std::string longest = outgoing(std::string(199, 'x') + "ß", Medium::file_name);
  EXPECT_EQ(longest, std::string(199, 'x'));
}

TEST(Outgoing, JsonKeepsWhatItHides) {
  const nlohmann::json json = {{"a\u202E", "\u009B\x7f ü"}};
  EXPECT_EQ(json_text(json), "{\"a\\u202e\":\"\\u009b\\u007f ü\"}");
  EXPECT_EQ(nlohmann::json::parse(json_text(json)), json);
}

TEST(Outgoing, NamesWithControlsAreSeen) {
  EXPECT_TRUE(has_control("a\nb"));
  EXPECT_TRUE(has_control("a\u2028b"));
  EXPECT_TRUE(has_control("\u202E"));
  EXPECT_FALSE(has_control("a\tb ü"));
}

}  // namespace minpair
