package search

import "sync"

// The letters of each block of Unicode without their marks and small, in order;
// a blank stands for what is no letter.
const (
	// U+00C0 to U+024F
	latin = "" +
		"aaaaaaæceeeeiiiiðnooooo ouuuuyþßaaaaaaæceeeeiiiiðnooooo ouuuuyþy" +
		"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiĳĳjjkkĸllllllŀ" +
		"ŀllnnnnnnŉŋŋooooooœœrrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs" +
		"ƀɓƃƃƅƅɔƈƈɖɗƌƌƍǝəɛƒƒɠɣƕɩɨƙƙƚƛɯɲƞɵooƣƣƥƥʀƨƨʃƪƫƭƭʈuuʊʋƴƴƶƶʒƹƹƺƻƽƽƾƿ" +
		"ǀǁǂǃǆǆǆǉǉǉǌǌǌaaiioouuuuuuuuuuǝaaaaææǥǥggkkooooʒʒjǳǳǳggƕƿnnaaææøø" +
		"aaaaeeeeiiiioooorrrruuuussttȝȝhhƞȡȣȣȥȥaaeeooooooooyyȴȵȶȷȸȹⱥȼȼƚⱦȿ" +
		"ɀɂɂƀʉʌɇɇɉɉɋɋɍɍɏɏ"
	// U+0370 to U+052F
	greekAndCyrillic = "" +
		"ͱͱͳͳʹ ͷͷ  ͺͻͼͽ ϳ      α εηι ο υωιαβγδεζηθικλμνξοπρ στυφχψωιυαεηι" +
		"υαβγδεζηθικλμνξοπρσστυφχψωιυουωϗβθυυυφπϗϙϙϛϛϝϝϟϟϡϡϣϣϥϥϧϧϩϩϫϫϭϭϯϯ" +
		"κρσϳθε ϸϸσϻϻϼͻͼͽееђгєѕііјљњћкиуџабвгдежзииклмнопрстуфхцчшщъыьэюя" +
		"абвгдежзииклмнопрстуфхцчшщъыьэюяееђгєѕііјљњћкиуџѡѡѣѣѥѥѧѧѩѩѫѫѭѭѯѯ" +
		"ѱѱѳѳѵѵѵѵѹѹѻѻѽѽѿѿҁҁ        ҋҋҍҍҏҏґґғғҕҕҗҗҙҙққҝҝҟҟҡҡңңҥҥҧҧҩҩҫҫҭҭүү" +
		"ұұҳҳҵҵҷҷҹҹһһҽҽҿҿӏжжӄӄӆӆӈӈӊӊӌӌӎӎӏааааӕӕееәәәәжжззӡӡииииооөөөөээуу" +
		"ууууччӷӷыыӻӻӽӽӿӿԁԁԃԃԅԅԇԇԉԉԋԋԍԍԏԏԑԑԓԓԕԕԗԗԙԙԛԛԝԝԟԟԡԡԣԣԥԥԧԧԩԩԫԫԭԭԯԯ"
	// U+1E00 to U+1FFF
	moreLatinAndGreek = "" +
		"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm" +
		"mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv" +
		"wwwwwwwwwwxxxxyyzzzzzzhtwyẚsẜẝßẟaaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee" +
		"eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyyỻỻỽỽỿỿ" +
		"ααααααααααααααααεεεεεε  εεεεεε  ηηηηηηηηηηηηηηηηιιιιιιιιιιιιιιιι" +
		"οοοοοο  οοοοοο  υυυυυυυυ υ υ υ υωωωωωωωωωωωωωωωωααεεηηιιοουυωω  " +
		"ααααααααααααααααηηηηηηηηηηηηηηηηωωωωωωωωωωωωωωωωααααα ααααααα ι " +
		"  ηηη ηηεεηηη   ιιιι  ιιιιιι    υυυυρρυυυυυυρ     ωωω ωωοοωωω   "
)

// block is a run of letters from first on.
type block struct {
	first rune
	plain []rune
}

// blocks are the ones with letters that a person types without their marks.
var blocks = sync.OnceValue(func() []block {
	return []block{
		{0xC0, []rune(latin)},
		{0x370, []rune(greekAndCyrillic)},
		{0x1E00, []rune(moreLatinAndGreek)},
	}
})
