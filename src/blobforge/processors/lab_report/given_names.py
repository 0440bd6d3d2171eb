"""Frequent first names: where nothing else tells in which order a name is printed, they do."""

_NAMES = """
    adam alan alexander alice amanda amy andrew angela anna anne anthony barbara benjamin betty brian carol catherine
    charles charlotte chloe christine christopher daniel david deborah dennis donna dorothy edward elizabeth emily emma
    eric ethan evelyn frances frank gary george grace hannah harry heather helen henry isabella jack jacob james jane
    janet jason jennifer jessica joan john jonathan joseph joshua joyce julia karen katherine kathleen kenneth kevin
    kimberly larry laura lauren linda lisa lucy margaret maria mark martha martin mary matthew megan melissa michael
    michelle nancy natalie nathan nicholas nicole oliver olivia pamela patricia patrick paul peter rachel rebecca
    richard robert ronald rose ryan samantha samuel sandra sarah scott sharon sophia sophie stephanie stephen steven
    susan teresa theresa thomas timothy victoria virginia walter wayne william
    andreas angelika anja anke annette antje bernd birgit brigitte christa christian christoph claudia dieter dirk
    elfriede elisabeth elke erika ernst eva felix florian frank franz friedrich fritz gabriele gerd gerhard gisela
    günter günther hans harald heike heinrich heinz helga helmut herbert hermann hildegard horst ingrid irmgard jan
    jens johann johannes jonas josef jürgen jutta karin karl karl-heinz katharina katja kerstin klaus kurt lena leonie
    lukas manfred marion markus martina matthias maximilian monika nadine nicole nils norbert olaf otto petra rainer
    ralf reinhard renate rolf rudolf sabine sebastian silke simone sonja stefan stefanie susanne sven tanja thorsten
    tobias torsten ulrich ulrike ursula ute uwe waltraud werner wilhelm wolfgang
    alain albert alexandre amélie andré antoine aurélie benoît bernard brigitte camille caroline cécile céline chantal
    christelle christiane claire claude corinne danielle denis didier dominique éric fabrice florence francis françois
    françoise frédéric gérard gilles guillaume guy hélène henri hervé hugo isabelle jacqueline jacques jean jean-pierre
    jeanne jérôme joëlle julie julien karine laurence laurent léa louis lucas luc madeleine manon marc marcel
    marguerite marie martine maurice mathieu maxime michel mireille monique nathalie nicolas odile olivier pascal
    patrice philippe pierre raymond rené robert roger romain sandrine sébastien serge simone solène suzanne sylvie
    thérèse thierry vincent véronique xavier yves yvette yvonne
    adrián alberto alejandro alfonso álvaro ana andrés ángel ángeles antonia antonio beatriz carlos carmen carolina
    concepción consuelo cristina diego dolores eduardo elena emilio enrique esperanza esther eva felipe fernando
    francisca francisco gabriel gloria guillermo héctor inés irene isabel jaime javier jesús joaquín jorge josé josefa
    juan juana julio laura lorena lucía luis luisa manuel manuela marcos margarita maría mario marta mercedes miguel
    mónica natalia nuria óscar pablo pedro pilar rafael ramón raquel raúl ricardo roberto rocío rosa rosario rubén
    salvador santiago sergio silvia sofía susana teresa tomás vicente víctor yolanda
    alessandra alessandro alessia alessio angela angelo anna antonella antonio bruno carla carlo caterina chiara
    claudio cristian daniela daniele davide domenico donatella elena eleonora emanuela enrico enzo fabio federica
    federico filippo francesca francesco franca franco gabriella gaetano gianluca gianni giorgia giorgio giovanna
    giovanni giulia giulio giuseppe giuseppina grazia ilaria laura lorenzo luca lucia luigi luisa manuela marco
    margherita maria mariangela marina mario marta martina massimo matteo maurizio mauro michela michele mirella
    monica nicola paola paolo patrizia piero pietro raffaele raffaella riccardo rita roberta roberto rosa rosanna
    salvatore sara sergio silvia silvio simona simone stefania stefano teresa tiziana tommaso umberto valentina
    valeria vincenza vincenzo vittorio
"""
_GIVEN = frozenset(_NAMES.split())


def is_given_name(word: str) -> bool:
    return word.casefold() in _GIVEN
